/* The strip above the timeline: the shares of the states over the whole run. */
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
	struct query by_class = *query;

	by_class.colouring = NULL;
	return timeline_shades_get(shades, &by_class, 0, err);
}

bool timeline_strip_begin(struct timeline_strip *strip, const struct query *query,
			  struct timeline_shades *shades, int width, struct err *err)
{
	const struct timeline_level *level = level_of(query, shades, err);
	const struct span w = timeline_run(query);

	timeline_strip_fini(strip);
	if (!level || width < 1)
		return level != NULL;
	time_cells_init(&strip->columns, &(struct time_scale){ w.t0, w.t1, width });
	tally_init(&strip->tally, level->shading, strip->columns.edges, strip->columns.intervals);
	strip->width = width;
	strip->mixes = xcalloc((size_t)width, sizeof *strip->mixes);
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
		const size_t cell = strip->columns.of[x];
		struct timeline_mix *mix = &strip->mixes[x];

		timeline_mix_add(mix, level, sums + cell * SHADING_SLOTS);
		if (strip->of)
			timeline_mix_wait(mix, strip->of,
					  strip->waiting + cell * wait_sums_slots(strip->of, NULL));
		mix->all -= mix->of[CLASS_OUTSIDE];
		mix->of[CLASS_OUTSIDE] = 0;
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
	free_all(strip->mixes, strip->waiting);
	time_cells_fini(&strip->columns);
	tally_fini(&strip->tally);
	*strip = (struct timeline_strip){ .width = 0 };
}
