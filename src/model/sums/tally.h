/* tally: sums of time by slot in cells, over any number of locations, for rows that represent
 * groups.
 *
 * Cells [edges[i], edges[i+1]) are about equally wide; edges ascend. Sums are exact, in ticks. If a
 * location has few events in the span they are walked, and each interval between two of them is
 * added to the cells at its ends and, in one step, to all between them; if it has many the cells
 * are swept (shading.h). So a location costs O(log events + the lesser of its events there and the
 * cells).
 *
 *	struct tally tally;
 *	tally_init(&tally, shading, edges, cells);
 *	for (i ...) tally_add(&tally, location[i]);
 *	use(tally_sums(&tally));	// [cell][SHADING_SLOTS]; more may be added after it
 *	tally_fini(&tally);
 *
 * Threads: a tally belongs to one. */
#pragma once

#include "model/sums/shading.h"

struct tally {
	const struct shading *shading;
	int64_t *edges; /* [cells + 1], a copy */
	size_t cells;
	double cells_a_tick;
	uint64_t *sums;  /* [cells][SHADING_SLOTS] */
	int64_t *covers; /* [cells + 1][SHADING_SLOTS]: how many more intervals cover whole cells
			    from here on than did before */
	uint64_t *swept; /* the cells of one location */
	bool covering;   /* covers are not in the sums yet */
};

void tally_init(struct tally *tally, const struct shading *shading, const int64_t *edges,
		size_t cells);
void tally_fini(struct tally *tally);
/* Forgets what was added. */
void tally_clear(struct tally *tally);
void tally_add(struct tally *tally, uint32_t location);
/* Sums of all that was added; valid until the next tally_add(). */
const uint64_t *tally_sums(struct tally *tally);
