/* critical_stretch: parts of the critical path (causes_critical_path()): what of it is in a window,
 * how much of a location is on it, and what a location did meanwhile.
 *
 * Stretches follow each other without a gap and none is negative, so that they are found by
 * bisection.
 *
 * Threads: any number may read. */
#pragma once

#include "patterns/causes/causes.h"

/* The first stretch that ends after t; n without. O(log n). */
size_t critical_stretch_at(const struct path_stretch *path, size_t n, int64_t t);

/* Ticks of [t0, t1) in which the path is on a location. O(log n + stretches inside). */
int64_t critical_stretch_sum(const struct path_stretch *path, size_t n, uint32_t location,
			     int64_t t0, int64_t t1);

/* The call path with the most exclusive time within the part in [t0, t1) of each of n stretches; of
 * equal ones the lower, 0 (the root) where there is none, or where another process has the
 * location. O(events inside). False: stopped. */
bool critical_stretch_callpaths(const struct causes *causes, const struct path_stretch *path,
				size_t n, int64_t t0, int64_t t1, uint32_t *callpaths,
				const struct progress *progress);
