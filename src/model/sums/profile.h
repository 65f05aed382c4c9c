/* profile: time and visits by region (or call path) in a window, for chosen locations.
 *
 * Inclusive counts the outermost visit of a recursion once. A visit that crosses the window counts
 * with its part inside; min, max and mean are of inclusive times of the visits that begin inside
 * it. Marks of regions are visits of no duration. Time between two traced spans is not exclusive
 * time of any region, but is part of the inclusive time of visits that go on across it. By call
 * path, row 0 (the root) has the traced time as inclusive, that outside all regions as exclusive
 * time, and no visits.
 *
 * The first profile of a location in a base makes its sums per superblock of 1,024 events
 * (profile_sums.h), one pass over its events; that call needs the trace alone. Later profiles cost
 * those sums and a walk through the two superblocks that the window cuts. */
#pragma once

#include "model/filter/filter.h"
#include "model/sums/counter.h"

/* The parts of a row's times that were estimated in gaps (model/trace/gap.h), ticks. */
struct profile_estimated {
	int64_t inclusive, exclusive, visits;
};

struct profile_row {
	uint64_t count;    /* visits that begin in the window */
	int64_t inclusive; /* ticks */
	int64_t exclusive; /* ticks */
	int64_t min, max;  /* ticks, inclusive time of a visit; 0 without visits */
	int64_t visit_sum; /* ticks: sum of the visits' inclusive times, recursion included; mean =
			      visit_sum / count */
	struct profile_estimated estimated;
};

struct profile {
	uint32_t n;               /* rows: regions, or call paths (canonical ones) */
	struct profile_row *rows; /* [n] */
};

enum profile_key { PROFILE_REGION, PROFILE_CALLPATH };

/* Sums over `locations` (NULL: all); where several processes share the trace, over those whose
 * events this one has.
 * t0 == INT64_MIN and t1 == INT64_MAX: the whole run. False, with nothing to free and err
 * untouched, if progress cancelled. */
bool profile_make(struct profile *profile, const struct trace *trace, enum time_base base,
		  enum profile_key key, const uint32_t *locations, size_t n, int64_t t0, int64_t t1,
		  const struct progress *progress, struct err *err);
/* The same for only those visits that match the filter: their exclusive time, their inclusive time
 * (the outermost that matches once), marks that match. A visit matches if its enter does, or its
 * leave if the trace lacks the enter; a visit without either does not match. By call path, row 0
 * stays empty. False when progress cancelled. O(events up to the window's end), and what the filter
 * costs a visit of the window. */
bool profile_make_visits(struct profile *profile, const struct trace *trace, enum time_base base,
			 enum profile_key key, const uint32_t *locations, size_t n, int64_t t0,
			 int64_t t1, const struct filter *filter, const struct progress *progress);
/* Makes it that of all processes (base/exchange.h). */
struct exchange;
void profile_share(struct profile *profile, struct exchange *x);
void profile_fini(struct profile *profile);

/* What metrics counted, by the same rows: of accumulated metrics the growth within visits, and
 * within their exclusive time. Between two samples a count grows evenly. */
struct profile_counts {
	uint32_t n;             /* metrics, */
	const uint32_t *metric; /* [n], borrowed */
	uint32_t rows;
	double *inclusive, *exclusive; /* [rows * n] */
};

/* Of all visits, or those that match the filter, as in profile_make_visits(), with its cost and one
 * or two searches among the samples of each metric for an event. `counters` is the trace's. Sums of
 * all processes of `x`, NULL: of this one. */
bool profile_counts_make(struct profile_counts *counts, struct counters *counters,
			 const struct trace *trace, enum time_base base, enum profile_key key,
			 const uint32_t *locations, size_t n, int64_t t0, int64_t t1,
			 const struct filter *filter, struct exchange *x,
			 const struct progress *progress);
void profile_counts_fini(struct profile_counts *counts);
