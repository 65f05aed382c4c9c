/* The strip above the timeline: the share of MPI over the whole run. */
#include <stdlib.h>

#include "base/mem.h"
#include "model/tally.h"
#include "ui/timeline_picture.h"

bool timeline_strip_make(struct timeline_strip *strip, const struct query *query,
			 const struct timeline_rows *rows, struct timeline_shades *shades,
			 int width, struct err *err)
{
	struct query whole = *query;
	const struct timeline_level *level;
	struct time_cells columns;
	struct time_window w;
	struct tally tally;
	const uint64_t *sums;

	whole.t0 = INT64_MIN;
	whole.t1 = INT64_MAX;
	timeline_strip_fini(strip);
	level = timeline_shades_get(shades, &whole, 0, err);
	if (!level || width < 1)
		return level != NULL;
	w = timeline_window(&whole);
	time_cells_init(&columns, &(struct time_scale){ w.t0, w.t1, width });
	tally_init(&tally, level->shading, columns.edges, columns.intervals);
	for (uint32_t i = 0; i < rows->n_locations; i++)
		tally_add(&tally, rows->locations[i]);
	sums = tally_sums(&tally);
	strip->width = width;
	strip->eighths = xcalloc((size_t)width, 1);
	for (int x = 0; x < width; x++) {
		const uint64_t *cell = sums + (size_t)columns.of[x] * SHADING_SLOTS;
		uint64_t mpi = 0, traced = 0;

		for (unsigned s = 0; s < level->slots; s++) {
			mpi += timeline_is_mpi(level->state[s]) ? cell[s] : 0;
			traced += level->state[s] == CLASS_OUTSIDE ? 0 : cell[s];
		}
		if (mpi)
			strip->eighths[x] =
				(uint8_t)(1 + (uint64_t)((double)mpi * 7.49 / (double)traced));
	}
	time_cells_fini(&columns);
	tally_fini(&tally);
	return true;
}

void timeline_strip_fini(struct timeline_strip *strip)
{
	free(strip->eighths);
	*strip = (struct timeline_strip){ 0 };
}
