/* The strip above the timeline: the share of MPI over the whole run. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/exchange.h"
#include "base/mem.h"
#include "model/trace/halo.h"
#include "ui/timeline/picture/timeline_picture.h"

static const struct timeline_level *level_of(const struct query *query,
					     struct timeline_shades *shades, struct err *err)
{
	return timeline_shades_get(shades, query, 0, err);
}

bool timeline_strip_begin(struct timeline_strip *strip, const struct query *query,
			  struct timeline_shades *shades, int width, struct err *err)
{
	const struct timeline_level *level = level_of(query, shades, err);
	struct query whole = *query;
	struct span w;

	whole.t0 = INT64_MIN;
	whole.t1 = INT64_MAX;
	timeline_strip_fini(strip);
	if (!level || width < 1)
		return level != NULL;
	w = timeline_window(&whole);
	time_cells_init(&strip->columns, &(struct time_scale){ w.t0, w.t1, width });
	tally_init(&strip->tally, level->shading, strip->columns.edges, strip->columns.intervals);
	strip->width = width;
	strip->eighths = xcalloc((size_t)width, 1);
	strip->waits = xcalloc((size_t)width, sizeof *strip->waits);
	strip->of = level->waits;
	if (strip->of)
		strip->waiting =
			xcalloc(strip->columns.intervals * WAIT_SLOTS + 1, sizeof *strip->waiting);
	return true;
}

bool timeline_strip_stale(const struct timeline_strip *strip, const struct query *query,
			  struct timeline_shades *shades)
{
	const struct timeline_level *level = level_of(query, shades, NULL);

	return level && level->waits != strip->of;
}

static uint64_t waiting_in(const struct timeline_strip *strip, size_t interval)
{
	const unsigned slots = strip->of ? wait_sums_slots(strip->of, NULL) : 0;
	uint64_t all = 0;

	for (unsigned s = 0; s < slots; s++)
		all += strip->waiting[interval * slots + s];
	return all;
}

/* The sums of all processes; for free(). */
static uint64_t *sums_of_all(struct timeline_strip *strip, struct exchange *x)
{
	const size_t n = strip->columns.intervals * SHADING_SLOTS;
	const unsigned slots = strip->of ? wait_sums_slots(strip->of, NULL) : 0;
	uint64_t *sums = xcalloc(n + 1, sizeof *sums);

	memcpy(sums, tally_sums(&strip->tally), n * sizeof *sums);
	exchange_sums(x, sums, n);
	exchange_sums(x, strip->waiting, strip->columns.intervals * slots);
	return sums;
}

static void finish(struct timeline_strip *strip, const struct timeline_level *level,
		   struct exchange *exchange)
{
	OWNED uint64_t *sums = sums_of_all(strip, exchange);

	for (int x = 0; x < strip->width; x++) {
		const uint64_t *cell = sums + (size_t)strip->columns.of[x] * SHADING_SLOTS;
		uint64_t mpi = 0, traced = 0;

		for (unsigned s = 0; s < level->slots; s++) {
			mpi += timeline_is_mpi(level->state[s]) ? cell[s] : 0;
			traced += level->state[s] == CLASS_OUTSIDE ? 0 : cell[s];
		}
		if (mpi)
			strip->eighths[x] =
				(uint8_t)(1 + (uint64_t)((double)mpi * 7.49 / (double)traced));
		strip->waits[x] = waiting_in(strip, strip->columns.of[x]) > mpi / 2;
	}
	time_cells_fini(&strip->columns);
	tally_fini(&strip->tally);
	free(strip->waiting);
	strip->waiting = NULL;
	strip->done = true;
}

static void add_location(struct timeline_strip *strip, uint32_t location)
{
	tally_add(&strip->tally, location);
	if (strip->of)
		wait_sums_add(strip->of, location, strip->columns.edges, strip->columns.intervals,
			      strip->waiting);
}

bool timeline_strip_work(struct timeline_strip *strip, const struct query *query,
			 const struct timeline_rows *rows, struct timeline_shades *shades,
			 int64_t nanoseconds, struct err *err)
{
	const struct timeline_level *level;
	int64_t begin;

	if (strip->done || strip->width == 0)
		return false;
	level = level_of(query, shades, err);
	if (!level || level->shading != strip->tally.shading) {
		timeline_strip_fini(strip); /* the next frame begins again */
		return false;
	}
	begin = clock_cpu_ns();
	while (strip->next < rows->n_locations) {
		for (int i = 0; i < 8 && strip->next < rows->n_locations; i++) {
			const uint32_t location = rows->locations[strip->next++];
			if (trace_has_location(query->trace, location))
				add_location(strip, location);
		}
		if (strip->next < rows->n_locations && clock_cpu_ns() - begin >= nanoseconds)
			return true;
	}
	finish(strip, level, trace_exchange(query->trace));
	return false;
}

void timeline_strip_fini(struct timeline_strip *strip)
{
	free_all(strip->eighths, strip->waits, strip->waiting);
	time_cells_fini(&strip->columns);
	tally_fini(&strip->tally);
	*strip = (struct timeline_strip){ .width = 0 };
}
