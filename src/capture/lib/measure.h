/* measure: what the library measures of itself and of the clocks: the cost table, and the offsets
 * between ranks. */
#pragma once

#include "capture/lib/recorder.h"

/* Writes TV_DEF_COST: what two neighbouring records cost between their stamps, from some ten
 * thousand of each kind that go to a scratch chunk. A few milliseconds. */
void tv_measure_costs(struct tv_thread *t);
/* The same when the run ends, but for copies: a processor that was slower at one of the two times
 * shows. Nothing where other threads may record meanwhile, or where the run itself needed costs. */
void tv_measure_costs_again(struct tv_thread *t);
/* Writes TV_DEF_SPENT: since then, of the thread that did that. */
void tv_measure_spent(struct tv_thread *t);

/* Rank 0 with each other rank in turn, on a communicator of the library's own: several round
 * trips, of which rank 0 writes the shortest as TV_DEF_OFFSET (Cristian's method). Collective;
 * blocks until this rank has had its turn. The communicator is made at the first call and freed at
 * the last. */
void tv_measure_offsets(struct tv_thread *t, bool at_end);
/* Once, on a communicator with the ranks of the world. */
void tv_measure_offsets_on(struct tv_thread *t, uint64_t comm);
