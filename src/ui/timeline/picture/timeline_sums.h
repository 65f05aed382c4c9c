/* timeline_sums: the sums of groups in the cells of a picture, kept between frames, so that a key
 * is answered at once, however large the groups are.
 *
 * A frame asks for the groups that it shows. As long as the frame's time lasts they are summed
 * exactly, location by location; then what the pyramid knows is given, marked as coarse, or nothing
 * where it is not made yet. Between keys the rest is summed in slices, the groups of the picture
 * first. Exact sums are kept until rows, shading or columns change. Once columns have changed the
 * turns of each group (model/sums/turns.h) are made, as many as there is memory for: with them a
 * group is summed exactly as fast as one location. The pyramid is for the groups that are left.
 * Processes that share the trace make the same frames without a limit of time, and add up what each
 * has of a group. */
#pragma once

#include "ui/timeline/picture/timeline_rows.h"
#include "ui/timeline/picture/timeline_scale.h"

enum sums_state {
	SUMS_NONE,   /* not summed yet */
	SUMS_COARSE, /* from the pyramid: cells may be off by a bin at each end */
	SUMS_EXACT
};

struct timeline_sums;

/* A frame may take so many nanoseconds of the processor for sums; INT64_MAX: no limit. Long enough
 * for a thousand locations: a coarse picture first costs as much as the exact one to draw and to
 * send, and all of it changes. */
enum { TIMELINE_SUMS_NS = 30000000 };
/* Turns take at most so many bytes, and a quarter of the room under --max-mem; 0: none are made. */
enum { TIMELINE_TURNS_BYTES = 128 << 20 };
struct timeline_sums *timeline_sums_new(int64_t frame_ns, uint64_t turns_bytes);
void timeline_sums_free(struct timeline_sums *sums);

/* The rows change: nothing is known of their groups until the next frame. NULL: none are. */
void timeline_sums_forget(struct timeline_sums *sums);
/* A frame begins. `generation` is that of the rows: another one, other groups. */
void timeline_sums_begin(struct timeline_sums *sums, const struct timeline_level *level,
			 const struct timeline_rows *rows, uint64_t generation,
			 const struct query *query, const struct time_cells *cells);
/* out[interval * SHADING_SLOTS + slot] of a group. */
enum sums_state timeline_sums_get(struct timeline_sums *sums, uint32_t group, uint64_t *out);
/* [interval * slots + slot] of the waiting of a group whose sums are exact (wait_sums.h); NULL
 * where it is not known. Good until the next frame. */
const uint64_t *timeline_sums_waits(const struct timeline_sums *sums, uint32_t group);

/* Sums for at most about 6 ms, or puts a group's turns in order. True while there is more to do.
 * *changed is set where a group of the picture has got its exact sums. */
bool timeline_sums_work(struct timeline_sums *sums, bool *changed);
/* Are there groups in the picture whose sums are not exact? */
bool timeline_sums_open(const struct timeline_sums *sums);
