/* wait_parts: the parts of a location's waits that count as severity: the time in which the
 * location was in the waiting call itself, and traced, each moment once.
 *
 * As a rule a call waits without interruption. But wrappers call each other, a buffer is flushed
 * inside a call, tracing is switched off; and a call that completes several operations may have
 * waited for two of them at once: the earlier begin has that time. So no waiting exceeds the time
 * of its call, in any window of any trace; the instances themselves are not changed.
 *
 * What is a part of other waiting (Late Complete, Early Fence, wavefronts) counts as it is. Before
 * its first event a location is outside of regions: there, threads start. O(events + waits log
 * waits). */
#pragma once

#include "base/vec.h"
#include "patterns/analysis/wait.h"

struct wait_part {
	int64_t begin, end; /* ticks */
	uint32_t path;      /* canonical */
	uint8_t metric;     /* enum cube_metric */
	uint8_t flags;      /* enum wait_flag */
};

struct wait_parts {
	struct wait_part *data; /* by begin */
	size_t n, cap;
	int64_t longest; /* ticks: no part is longer */
};

/* Whether some of a location's waits, by begin, overlap: then there is something to do.
 * O(waits). */
bool waits_overlap(const struct wait *waits, size_t n);
/* `waits` of the location by begin. wait_parts_fini() is due. */
void wait_parts_make(struct wait_parts *parts, const struct trace *trace, enum time_base base,
		     uint32_t location, const struct wait *waits, size_t n);
void wait_parts_fini(struct wait_parts *parts);
/* The first part that may end after t; those before do not. O(log parts). */
size_t wait_parts_at(const struct wait_parts *parts, int64_t t);
