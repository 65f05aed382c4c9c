/* Which part of an archive is loaded (load_part): ranks by their locations, a window of time by the
 * clock of each. */
#include <string.h>

#include "base/exchange.h"
#include "model/build/part.h"
#include "model/otf2/read/otf2_archive.h"

bool otf2_part_has(const struct otf2_archive *a, const struct otf2_place *place)
{
	return load_part_has_rank(&a->options->part, place->rank) &&
	       place->process == exchange_process(a->options->exchange);
}

bool otf2_part_window(const struct otf2_archive *a, const struct otf2_place *place, int64_t *from,
		      int64_t *until)
{
	part_window(&a->options->part, &a->scale, place->offsets.data, place->offsets.n, from,
		    until);
	return a->options->part.timed;
}

void otf2_part_clock(const struct otf2_archive *a, const struct otf2_place *place, int64_t *first,
		     int64_t *last)
{
	const long double tick = 1e9L / (long double)a->scale.per_second; /* in nanoseconds */
	const long double start = (long double)otf2_time(a, a->defs.offset) * tick;
	const long double length = (long double)a->defs.length * (long double)a->factor * tick;
	const long double most = (long double)(INT64_MAX / 4);
	struct load_part part = { .timed = a->defs.length && !a->bad_clock && !place->other_clock &&
					   length < most / 2 && start < most - 2 * length &&
					   start > length - most };

	part.t0 = part.timed ? (int64_t)(start - length) : 0;
	part.t1 = part.timed ? (int64_t)(start + 2 * length) : 0;
	part_window(&part, &a->scale, place->offsets.data, place->offsets.n, first, last);
}

void otf2_part_chain(struct otf2_archive *a)
{
	const size_t n = a->places.n;
	OWNED uint32_t *last = xmalloc((n + 1) * sizeof *last);

	memset(last, 0xff, (n + 1) * sizeof *last);
	for (uint32_t i = 0; i < n; i++) {
		struct otf2_place *place = &a->places.data[i];
		place->next = UINT32_MAX;
		if (!otf2_part_has(a, place))
			continue;
		place->follows = last[place->location] != UINT32_MAX;
		if (place->follows)
			a->places.data[last[place->location]].next = i;
		last[place->location] = i;
	}
}

void otf2_part_offsets(const struct otf2_archive *a)
{
	for (size_t i = 0; i < a->places.n; i++) {
		const struct otf2_place *place = &a->places.data[i];
		for (size_t k = 0; k < place->offsets.n; k++)
			builder_offset(a->builder, &place->offsets.data[k]);
	}
}
