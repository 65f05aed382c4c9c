/* moves: how far events are from where another time base has them (the later base minus the
 * reference, in ticks): at a time, and in cells.
 *
 * Between two events of a location the move is drawn straight, so that every time of one base has
 * its time in the other. Of events that stand at one time the first one counts: [t0, t1) holds what
 * is after it, and moves of cells that follow each other add up without a gap.
 *
 * A struct moves keeps the least and largest move of every block of 64 events: one linear pass;
 * from then on a cell costs what it cuts, not the events inside, and the extremes are exact. Half a
 * byte an event.
 *
 * Ownership: borrows the trace. Threads: any number may read. Both bases must be made. */
#pragma once

#include "model/trace/trace.h"

/* Of a cell. */
struct move {
	bool known;         /* some of the cell is between the first and the last event */
	int64_t low, high;  /* of the events in the cell, and at its edges */
	int64_t begin, end; /* at the edges; outside of the events that of the nearest one */
};

/* The time in base `to` of the moment that is t in base `from`. O(log events). */
int64_t moves_map(const struct trace *trace, enum time_base from, enum time_base to,
		  uint32_t location, int64_t t);

struct moves;

/* NULL where progress cancelled. */
struct moves *moves_new(const struct trace *trace, enum time_base base, enum time_base reference,
			const struct progress *progress);
void moves_free(struct moves *moves);
enum time_base moves_reference(const struct moves *moves);
/* Of cells [edges[i], edges[i + 1]), i < cells, in times of the base; edges ascend. */
void moves_sweep(const struct moves *moves, uint32_t location, const int64_t *edges, size_t cells,
		 struct move *out);
/* The same to the block, for rows of many locations: low and high are those of all blocks that
 * touch the cell, the moves at its edges are drawn straight between first events of blocks. Never
 * less than what moves_sweep() finds. O(log events + blocks in the cells + cells). */
void moves_outline(const struct moves *moves, uint32_t location, const int64_t *edges, size_t cells,
		   struct move *out);
