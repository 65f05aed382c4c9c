/* gaps: segments in which the times of functions are not read but reckoned, so that the difference
 * to other segments says what reading them costs (doc/corrections.md).
 *
 * A *segment* is what a thread does from one call of MPI to the next. In a *gap* every record is
 * written as everywhere, and rows are changed: order, nesting, call paths and counts are exact. Its
 * time comes from a model clock, which each record advances by the usual time between two records
 * in the function that is open. After at most TV_BLIND records, around functions that are not known
 * to be short, and at the end of the gap the clock is read all the same; TV_SEGMENT says what the
 * model said there, so that tvrun corrects the times before it. No time is unknown for longer than
 * TV_BLIND records of functions that have always been short, whatever the program does.
 *
 * Segments become gaps where many like them were recorded: those after one call statement at one
 * depth are of one *kind*. The first TV_LEARNED of a kind teach the model, then one of each
 * TV_BLOCK is drawn, until the cost is known well enough.
 *
 *	if (tv_segment_begin(t, time)) ...	after a call of MPI; true: a gap begins
 *	now = tv_reckon(t, entry);		a function is entered, or left to `entry`; 0: read it
 *	tv_segment_end(t, now);			before the next call */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct tv_thread;
struct tv_entry;

enum {
	TV_BLIND = 16,  /* records of a gap to one whose time is read */
	TV_LEARNED = 8, /* recorded segments of a kind before it may have gaps */
	TV_BLOCK = 4,   /* segments of which one is a gap */
	TV_PACE_ONE = 256,
};

struct tv_segment_kind;

/* The segment under way. */
struct tv_segment {
	struct tv_segment_kind *kind; /* NULL: none, or not of interest */
	uint64_t begin;
	uint64_t read;  /* when the clock was read last */
	uint64_t model; /* what the model says now; of a gap */
	uint64_t limit; /* ticks that the gap may take */
	const void *chunk;
	uint64_t used;     /* of the chunk, when the segment began */
	uint32_t blind;    /* records until the clock is read */
	uint32_t readings; /* records that say so */
	uint32_t pace;     /* time of a gap over that of the model, in TV_PACE_ONE */
};

/* All kinds of a thread. */
struct tv_kinds {
	struct tv_segment_kind *table; /* NULL: none yet */
	uint32_t used, gaps;           /* kinds; gaps so far */
	uint64_t begin, blind;         /* since when; ticks in gaps */
};

bool tv_segment_begin(struct tv_thread *t, uint64_t time);
void tv_segment_end(struct tv_thread *t, uint64_t time);
/* A gap ends within its segment, of which nothing is learned. */
void tv_gap_end(struct tv_thread *t, uint64_t time);
uint64_t tv_reckon(struct tv_thread *t, struct tv_entry *next);
/* The clock, or the model's in a gap: for what has no record. */
uint64_t tv_time(const struct tv_thread *t);
void tv_kinds_fini(struct tv_kinds *kinds);
