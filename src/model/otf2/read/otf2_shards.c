/* An archive that several processes read, each some of the locations (base/exchange.h): which ones,
 * and what all must know of them. */
#include "base/exchange.h"
#include "base/mem.h"
#include "model/otf2/read/otf2_archive.h"

struct dealing {
	struct otf2_archive *a;
	struct keymap rows; /* rank, or location without one: row of `weight` */
	VEC(uint64_t) weight;
	VEC(uint32_t) process;
};

static uint64_t weight_of(const struct otf2_place *place, bool by_size)
{
	return by_size ? place->bytes : place->events;
}

/* The row of a place: all locations of a rank have one, and all files of a location. */
static uint32_t row_of(struct dealing *d, const struct otf2_place *place)
{
	const bool ranked = place->rank != RANK_UNKNOWN;
	const uint32_t id = ranked ? (uint32_t)place->rank : place->location;
	uint32_t row;

	if (keymap_new(&d->rows, KEY_OF(id, ranked), d->weight.n, &row))
		vec_push(&d->weight, 0);
	return row;
}

/* Ranks in the order of their first locations, to processes in turn: each gets ranks until the
 * share of all processes up to it is reached. */
static void deal(struct dealing *d, uint64_t all, uint32_t processes)
{
	uint64_t done = 0;
	uint32_t process = 0;

	for (size_t i = 0; i < d->weight.n; i++) {
		vec_push(&d->process, process);
		done += d->weight.data[i];
		while (process + 1 < processes && (unsigned __int128)done * processes >=
							  (unsigned __int128)all * (process + 1))
			process++;
	}
}

bool otf2_shards_are_counted(struct otf2_archive *a)
{
	bool counted = false;

	for (size_t i = 0; i < a->places.n; i++) {
		counted = counted || a->places.data[i].events > 0;
		a->places.data[i].process = exchange_process(a->options->exchange);
	}
	return counted;
}

void otf2_shards_deal(struct otf2_archive *a, bool by_size)
{
	struct dealing d = { .a = a };
	OWNED uint32_t *row = xmalloc((a->places.n + 1) * sizeof *row);
	uint64_t all = 0;

	for (size_t i = 0; i < a->places.n; i++) {
		row[i] = row_of(&d, &a->places.data[i]);
		d.weight.data[row[i]] += weight_of(&a->places.data[i], by_size);
		all += weight_of(&a->places.data[i], by_size);
	}
	deal(&d, all, exchange_processes(a->options->exchange));
	for (size_t i = 0; i < a->places.n; i++)
		a->places.data[i].process = d.process.data[row[i]];
	keymap_fini(&d.rows);
	vec_fini(&d.weight);
	vec_fini(&d.process);
}

/* ---- what was found out while reading ---- */

struct shard_place {
	uint32_t place;
	uint8_t state, bad_defs;
	uint16_t unused;
};

struct shard_offset {
	uint64_t place;
	struct offset offset;
};

void otf2_shards_share(struct otf2_archive *a)
{
	struct exchange *x = a->options->exchange;
	OWNED_VEC(struct shard_place) places = VEC_INIT;
	OWNED_VEC(struct shard_offset) offsets = VEC_INIT;
	const struct shard_place *p;
	const struct shard_offset *o;

	if (!x)
		return;
	for (uint32_t i = 0; i < a->places.n; i++) {
		struct otf2_place *place = &a->places.data[i];
		if (!otf2_part_has(a, place))
			continue;
		vec_push(&places, ((struct shard_place){ i, place->state, place->bad_defs, 0 }));
		for (size_t k = 0; k < place->offsets.n; k++)
			vec_push(&offsets, ((struct shard_offset){ i, place->offsets.data[k] }));
		place->offsets.n = 0;
	}
	exchange_rows(x, &places);
	exchange_rows(x, &offsets);
	vec_each (p, &places) {
		a->places.data[p->place].state = p->state;
		a->places.data[p->place].bad_defs = p->bad_defs;
	}
	vec_each (o, &offsets)
		vec_push(&a->places.data[o->place].offsets, o->offset);
}
