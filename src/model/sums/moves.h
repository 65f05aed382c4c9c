/* moves: how far a time base moves events from another one (time in the base minus time in the
 * reference, in ticks): at a time, and in cells.
 *
 * Between two events of a location the move is linear, so that every time of one base has a time in
 * the other. Of events with equal times the first one counts, so that moves of cells that follow
 * each other add up without a gap.
 *
 * A struct moves keeps the least and largest move of every block of 64 events: one linear pass;
 * from then on a cell costs the blocks that it cuts, not the events inside, and the extremes are
 * exact. Memory: half a byte for each event.
 *
 * Ownership: borrows the trace. Threads: any number may read. Both bases must be made. */
#pragma once

#include "model/trace/trace.h"

/* The moves of a cell, ticks. */
struct move {
	bool known;         /* some of the cell is between the first and the last event */
	int64_t low, high;  /* of the events in the cell, and at its edges */
	int64_t begin, end; /* at the edges; before the first and after the last event as there */
};

/* The time in base `to` of the moment that is t in base `from`. O(log events). */
int64_t moves_map(const struct trace *trace, enum time_base from, enum time_base to,
		  uint32_t location, int64_t t);

struct moves;

/* NULL if progress cancelled. */
struct moves *moves_new(const struct trace *trace, enum time_base base, enum time_base reference,
			const struct progress *progress);
void moves_free(struct moves *moves);
enum time_base moves_reference(const struct moves *moves);
/* Fills out[i] for the cells [edges[i], edges[i + 1]), i < cells, in times of the base; edges
 * ascend. */
void moves_sweep(const struct moves *moves, uint32_t location, const int64_t *edges, size_t cells,
		 struct move *out);
/* The same to the precision of blocks, for rows of many locations: low and high are those of all
 * blocks that touch the cell, the moves at its edges are interpolated between first events of
 * blocks. The range includes that of moves_sweep(). O(log events + blocks in the cells + cells). */
void moves_outline(const struct moves *moves, uint32_t location, const int64_t *edges, size_t cells,
		   struct move *out);
