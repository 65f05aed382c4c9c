/* turns: exact sums of time by slot for a group of locations, at a cost that depends neither on how
 * many they are nor on how many events they have.
 *
 * A turn is a time at which a location goes from one slot to another one. Those of all locations of
 * the group are kept in order of time, 8 bytes each, and at every 64th one how many locations are
 * in each slot, and the time that the group spent in it before. So a cell's edge costs a search and
 * up to 64 turns, and the sums of a cell are the differences between its edges.
 *
 * Beside the slots of a shading there may be others, to which intervals are added (waiting).
 *
 *	struct turns *t = turns_new(shading, 2, t0);
 *	turns_add(t, location);
 *	turns_add_interval(t, from, to, 1);
 *	turns_ready(t);
 *	turns_sums(t, edges, cells, sums, others);
 *
 * Threads: belongs to one. The shading is borrowed. */
#pragma once

#include "model/sums/shading.h"

struct turns;

/* No time of the trace is before t0. NULL: there are too many other slots. */
struct turns *turns_new(const struct shading *shading, unsigned others, int64_t t0);
void turns_free(struct turns *turns);

void turns_add(struct turns *turns, uint32_t location);
/* [t0, t1) in another slot, not empty. */
void turns_add_interval(struct turns *turns, int64_t t0, int64_t t1, unsigned other);
/* How many there are so far. */
size_t turns_count(const struct turns *turns);
/* After all was added, O(turns). False: the run is too long for it. */
bool turns_ready(struct turns *turns);
size_t turns_bytes(const struct turns *turns);

/* Sets sums[cell * SHADING_SLOTS + slot] and others[cell * others + other], ticks, for the cells
 * [edges[i], edges[i + 1]); edges ascend. As tally_sums() after tally_add() of each location. */
void turns_sums(const struct turns *turns, const int64_t *edges, size_t cells, uint64_t *sums,
		uint64_t *others);
