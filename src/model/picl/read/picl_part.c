/* Reading a part of a file (load_part). Nothing of other ranks is kept. Messages, requests and
 * collectives before the window are kept, because later ones are matched in their order, and so are
 * the calls that are open when it begins. After the window tview's own files, which are sorted, are
 * read no further. */
#include "model/build/part.h"
#include "model/picl/read/picl_reader.h"

static const struct load_part *part_of(const struct picl_reader *r)
{
	return r->options->part;
}

bool picl_part_has(const struct picl_reader *r, int32_t rank)
{
	return !part_of(r) || load_part_has_rank(part_of(r), rank);
}

void picl_part_offset(struct picl_place *place, const struct offset *offset)
{
	size_t at = place->offsets.n;

	vec_push(&place->offsets, *offset);
	for (; at && place->offsets.data[at - 1].time > offset->time; at--)
		place->offsets.data[at] = place->offsets.data[at - 1];
	place->offsets.data[at] = *offset;
}

static void window_of(struct picl_reader *r, struct picl_place *place)
{
	part_window(part_of(r), &r->clock.scale, place->offsets.data, place->offsets.n,
		    &place->from, &place->until);
}

void picl_part_begin(struct picl_reader *r)
{
	int64_t from;

	r->windowed = part_of(r) && part_of(r)->timed;
	r->last_time = INT64_MAX;
	if (part_of(r))
		part_tell(r->builder, part_of(r));
	if (!r->windowed)
		return;
	part_window(part_of(r), &r->clock.scale, NULL, 0, &from, &r->last_time);
	for (size_t i = 0; i < r->places.n; i++) {
		window_of(r, r->places.data[i]);
		if (r->places.data[i]->until > r->last_time)
			r->last_time = r->places.data[i]->until;
	}
	if (!r->own)
		r->last_time = INT64_MAX;
}

void picl_part_place(struct picl_reader *r, struct picl_place *place)
{
	place->from = INT64_MIN;
	place->until = INT64_MAX;
	if (r->windowed)
		window_of(r, place);
}

/* ---- calls that are open when the window begins ---- */

void picl_part_enter(struct picl_place *place, uint32_t site)
{
	/* Entries without exit must not pile up for ever. */
	if (place->early.n < 1 << 20)
		vec_push(&place->early, site);
}

void picl_part_leave(struct picl_reader *r, struct picl_place *place, uint32_t site)
{
	const uint32_t region = builder_site_region(r->builder, site);

	for (size_t i = place->early.n; i-- > 0;) {
		if (builder_site_region(r->builder, place->early.data[i]) != region)
			continue;
		/* What is open inside it ends here, too. */
		place->early.n = i;
		return;
	}
}

void picl_part_inside(struct picl_reader *r, struct picl_place *place)
{
	for (size_t i = 0; i < place->early.n; i++)
		builder_enter(r->feed, place->location, place->from, place->early.data[i]);
	place->early.n = 0;
	place->from = INT64_MIN;
}
