/* critical: the critical path, and what is on it and beside it (C16 to C18).
 *
 * From the location that entered MPI_Finalize last the path goes back in time; where the location
 * waited it goes on at the one that was waited for, at the matching point, and the waiting itself
 * is not on it. It ends at the enter of MPI_Init. Where the trace has no MPI_Finalize it starts at
 * the last event, where it has no MPI_Init it ends at the location's first. O(points).
 *
 * A stretch begins when the wait is over and ends when the call of the next one is entered. Where
 * both points lie in one call (it completed several messages) its length is negative, and the next
 * stretch is too long by as much, so that the lengths add up. Cells are those of these stretches
 * (as SCOUT's). In `path`, which is shown, such a stretch is empty and the next one cut: each
 * begins where the one before ends.
 *
 * Threads: made, any number may read. */
#pragma once

#include "base/exchange.h"
#include "patterns/causes/causes.h"
#include "patterns/causes/interval.h"

struct critical_piece {
	uint32_t location;
	uint32_t from, to; /* points; `to` may be their number: to the location's end */
	int64_t t0, t1;    /* ticks */
	uint64_t nth;      /* of all processes' pieces: 0 is the last one */
};

struct critical {
	const struct points *points;
	const struct intervals *intervals;
	struct critical_piece *data; /* [n] the last one first; those of this process */
	size_t n, cap;
	struct path_stretch *path; /* [stretches] by time, none negative; none where the trace is
				      shared */
	size_t stretches;
};

struct critical *critical_new(const struct trace *trace, enum time_base base,
			      const struct points *points, const struct intervals *intervals);
void critical_free(struct critical *critical);

/* [*n] The path as it is shown, of the pieces of all processes; the caller's. Where the trace is
 * shared, all call it. O(stretches log stretches). */
struct path_stretch *critical_path_make(const struct critical *critical, struct exchange *x,
					size_t *n);

/* Adds critical_path*, and the metrics of performance_impact, of [t0, t1) to a cube (INT64_MIN,
 * INT64_MAX: the whole run). O(events inside); of the whole run O(points). False: stopped. */
bool critical_add(const struct critical *critical, const struct analysis *analysis,
		  struct cube *cube, int64_t t0, int64_t t1, const struct progress *progress);
