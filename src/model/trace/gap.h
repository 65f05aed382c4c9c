/* gap: stretches of a location in which the clock was read for few functions only; the times of the
 * others were estimated between two readings (doc/format.md). No other code knows about them.
 *
 * A gap is from the end of the MPI call before it to its record (REC_GAP). Its length is measured,
 * and so is a visit that goes on all through it; visits that begin or end strictly inside have
 * estimated times. Its parts divide the gap's time among call paths.
 *
 *	struct gap_walk w = gap_walk_begin(trace, base, location, t0);
 *	... for stretches in order: if (gap_walk_has(&w, from, to)) estimated += to - from;
 *
 * Shown times are marked (~) where more than GAP_SHARE of them is estimated: gap_matters().
 *
 * Threads: any number may ask. Without gaps everything is O(1), else O(log gaps). */
#pragma once

#include "model/trace/trace.h"

struct gap {
	uint32_t location;
	uint32_t begin, end;    /* events: the leave of the call before, the gap's record */
	uint32_t records, read; /* of functions; of how many of them the clock was read */
	uint32_t first_part;    /* row of its first part; the last is before the next gap's first */
};

/* Of its records of functions: all; those for which the clock was read; those of which there was a
 * note. Of the others it was estimated that they happened (capture/lib/blanks.h). */
struct gap_counts {
	uint32_t records, read, noted;
};

/* The time of a call path in a gap, measured ticks. */
struct gap_part {
	uint32_t path;
	int64_t own;       /* while it was innermost */
	int64_t inclusive; /* of visits that do not go on all through the gap */
};

#define GAP_SHARE 0.01

/* True if an event is the end of a gap; *counts gets its counts, and is not changed otherwise. */
bool gap_of_event(const struct trace *trace, uint32_t what, struct gap_counts *counts);

/* The gaps of a location, by time; *n of them. */
/* True if it has any, on the locations of any process. */
bool trace_has_gaps(const struct trace *trace);
const struct gap *gaps_of(const struct trace *trace, uint32_t location, size_t *n);
const struct gap_part *gap_parts(const struct trace *trace, const struct gap *gap, size_t *n);
int64_t gap_begin_time(const struct trace *trace, enum time_base base, const struct gap *gap);
int64_t gap_end_time(const struct trace *trace, enum time_base base, const struct gap *gap);

/* The gap that a time is strictly inside of: its time is estimated if a function begins or ends
 * there. NULL: none. */
const struct gap *gap_at(const struct trace *trace, enum time_base base, uint32_t location,
			 int64_t t);
/* Ticks of [from, to) that are in gaps. */
int64_t gap_time_in(const struct trace *trace, enum time_base base, uint32_t location, int64_t from,
		    int64_t to);
/* Ticks of a visit that are estimated: in the gaps in which it begins and ends. */
int64_t gap_time_of_visit(const struct trace *trace, enum time_base base, uint32_t location,
			  int64_t from, int64_t to);

/* gap_matters(): so much of a time is estimated that it must be shown with GAP_MARK in front;
 * gap_mark(): that mark or "". */
#define GAP_MARK "~"
bool gap_matters(double estimated, double time);
const char *gap_mark(double estimated, double time);

/* A walk along consecutive stretches of a location. */
struct gap_walk {
	const struct trace *trace;
	const struct gap *gap, *stop;
	enum time_base base;
	int64_t from, to; /* of the gap; INT64_MAX: no more */
};

/* Begins the walk at a time. */
struct gap_walk gap_walk_begin(const struct trace *trace, enum time_base base, uint32_t location,
			       int64_t from);
void gap_walk_next(struct gap_walk *walk);

static inline bool gap_walk_has(struct gap_walk *w, int64_t from, int64_t to)
{
	while (from >= w->to)
		gap_walk_next(w);
	return from >= w->from && to <= w->to;
}
