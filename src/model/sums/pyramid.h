/* pyramid: sums of time by slot for groups of locations, at the same cost for spans of any length.
 *
 * The run is cut into bins; for each group the exact sums up to every bin's begin are kept, so that
 * a span costs two look-ups, coarse or fine, whatever the number of locations and events. A span
 * that begins or ends inside a bin takes a share of that bin (as if its time were spread evenly):
 * exact at bins, off by at most a bin's time at each end. A tally (tally.h) has exact sums.
 *
 * Memory is bounded: the more groups, the fewer bins. It is made in slices, group after group; a
 * group can be asked for once it is done.
 *
 * Threads: belongs to one. The shading is borrowed. */
#pragma once

#include "model/sums/tally.h"

enum { PYRAMID_BYTES = 64 << 20, PYRAMID_BINS = 4096 };

struct pyramid;

/* `first` [groups + 1]: where each group's members begin in `members` (both copied). The bins tile
 * [t0, t1), t1 > t0; `bytes` bounds their memory. */
struct pyramid *pyramid_new(const struct shading *shading, int64_t t0, int64_t t1, uint32_t groups,
			    const uint32_t *first, const uint32_t *members, size_t bytes);
void pyramid_free(struct pyramid *pyramid);

/* Adds locations for about so many nanoseconds; false if all groups are done. */
bool pyramid_work(struct pyramid *pyramid, int64_t nanoseconds);
bool pyramid_has(const struct pyramid *pyramid, uint32_t group);

/* Sets sums[cell * SHADING_SLOTS + slot], ticks, for the cells [edges[i], edges[i + 1]) of a group
 * that is done. Time outside the run counts in the shading's outside slot. */
void pyramid_sums(const struct pyramid *pyramid, uint32_t group, const int64_t *edges, size_t cells,
		  uint64_t *sums);
