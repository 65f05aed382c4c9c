/* An archive that several processes read, each some of the locations (base/exchange.h): which ones,
 * and what all must know of them. */
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "model/build/dealing.h"
#include "model/otf2/read/otf2_archive.h"

/* Locations that stay together are a unit: those of a rank, of a team of threads, of a group (an
 * operating system's process) of which one has no rank, with the group that made it, and of a
 * program with a device's streams, whose ranks may be several. */
struct sharing {
	struct otf2_archive *a;
	struct keymap ranks;  /* rank: unit */
	VEC(uint64_t) weight; /* [units] */
	VEC(uint32_t) with;   /* [units] the one that it was joined to, itself */
};

/* Memory for a byte of a file, where the events are not counted. */
enum { BYTES_OF_BYTE = 10 };

static uint64_t weight_of(const struct otf2_place *place, bool by_size)
{
	return by_size ? place->bytes : place->events;
}

static uint32_t unit_of(struct sharing *d, const struct otf2_place *place)
{
	uint32_t unit = (uint32_t)d->weight.n;

	if (place->rank == RANK_UNKNOWN ||
	    keymap_new(&d->ranks, KEY_OF((uint32_t)place->rank), d->weight.n, &unit)) {
		vec_push(&d->with, unit);
		vec_push(&d->weight, 0);
	}
	return unit;
}

/* The first of those that it was joined to; the way there is made shorter. */
static uint32_t first_of(const struct sharing *d, uint32_t unit)
{
	while (d->with.data[unit] != unit)
		unit = d->with.data[unit] = d->with.data[d->with.data[unit]];
	return unit;
}

static void join(const struct sharing *d, uint32_t a, uint32_t b)
{
	a = first_of(d, a);
	b = first_of(d, b);
	if (a < b)
		d->with.data[b] = a;
	else
		d->with.data[a] = b;
}

/* The unit of each location, UINT32_MAX: it has no place. Several places may be one location. */
static uint32_t *units_of_locations(const struct sharing *d, const uint32_t *unit)
{
	const struct otf2_archive *a = d->a;
	uint32_t *of = xmalloc((a->places.n + 1) * sizeof *of);

	memset(of, 0xff, (a->places.n + 1) * sizeof *of);
	for (size_t i = 0; i < a->places.n; i++) {
		uint32_t *known = &of[a->places.data[i].location];
		if (a->places.data[i].absent)
			continue;
		if (*known != UINT32_MAX)
			join(d, *known, unit[i]);
		*known = unit[i];
	}
	return of;
}

static void join_teams(const struct sharing *d, const uint32_t *unit)
{
	const struct otf2_archive *a = d->a;
	OWNED uint32_t *of = units_of_locations(d, unit);
	const struct otf2_comm *comm;

	vec_each (comm, &a->comms) {
		uint32_t before = UINT32_MAX;
		for (uint32_t i = 0; comm->kind == COMM_THREADS && i < comm->size; i++) {
			const uint32_t l = (uint32_t)comm->ranks[i];
			if (l >= a->places.n || of[l] == UINT32_MAX)
				continue;
			if (before != UINT32_MAX)
				join(d, before, of[l]);
			before = of[l];
		}
	}
}

/* The group that made a place's group, by its number in the archive. */
static uint32_t creator_of(const struct otf2_archive *a, const struct otf2_place *place)
{
	const uint32_t row =
		otf2_ids_get(&a->process_rows, a->defs.locations.data[place->def].process);

	return row == UINT32_MAX ? UINT32_MAX : a->defs.processes.data[row].creator;
}

static void join_groups(const struct sharing *d, const uint32_t *unit)
{
	const struct otf2_archive *a = d->a;
	ENDED_BY(keymap_fini) struct keymap first = { NULL, 0, 0 }; /* group: place */

	for (uint32_t i = 0; i < a->places.n; i++) {
		const struct otf2_place *place = &a->places.data[i];
		uint32_t with;
		if (!keymap_new(&first, KEY_OF(a->defs.locations.data[place->def].process), i,
				&with) &&
		    (place->rank == RANK_UNKNOWN || a->places.data[with].rank == RANK_UNKNOWN))
			join(d, unit[i], unit[with]);
	}
	for (uint32_t i = 0; i < a->places.n; i++) {
		const uint32_t *with =
			a->places.data[i].rank == RANK_UNKNOWN
				? keymap_find(&first, KEY_OF(creator_of(a, &a->places.data[i])))
				: NULL;
		if (with)
			join(d, unit[i], unit[*with]);
	}
}

static void join_programs(const struct sharing *d, const uint32_t *unit)
{
	const struct otf2_archive *a = d->a;
	OWNED uint32_t *program =
		xmalloc((builder_location_count(a->builder) + 1) * sizeof *program);
	ENDED_BY(keymap_fini) struct keymap first = { NULL, 0, 0 }; /* program: place */

	builder_programs_with_streams(a->builder, program);
	for (uint32_t i = 0; i < a->places.n; i++) {
		const struct otf2_place *place = &a->places.data[i];
		uint32_t with;
		if (!place->absent && program[place->location] != UINT32_MAX &&
		    !keymap_new(&first, KEY_OF(program[place->location]), i, &with))
			join(d, unit[i], unit[with]);
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

bool otf2_shards_deal(struct otf2_archive *a, bool by_size, struct err *err)
{
	struct sharing d = { .a = a };
	OWNED uint32_t *process = NULL;
	OWNED uint32_t *unit = xmalloc((a->places.n + 1) * sizeof *unit);
	struct dealing dealing;
	uint64_t most;
	bool ok;

	for (size_t i = 0; i < a->places.n; i++)
		unit[i] = unit_of(&d, &a->places.data[i]);
	join_teams(&d, unit);
	join_groups(&d, unit);
	join_programs(&d, unit);
	for (size_t i = 0; i < a->places.n; i++) {
		const uint64_t weight = weight_of(&a->places.data[i], by_size);
		d.weight.data[first_of(&d, unit[i])] += weight;
	}
	dealing = (struct dealing){ d.weight.data, d.weight.n };
	process = xmalloc((d.weight.n + 1) * sizeof *process);
	most = dealing_deal(&dealing, exchange_processes(a->options->exchange), process);
	for (size_t i = 0; i < a->places.n; i++)
		a->places.data[i].process = process[first_of(&d, unit[i])];
	ok = dealing_has_room(&dealing, most, by_size ? BYTES_OF_BYTE : DEALING_EVENT,
			      a->options->max_mem, a->anchor, err);
	keymap_fini(&d.ranks);
	vec_fini(&d.weight);
	vec_fini(&d.with);
	return ok;
}

void otf2_shards_begin(struct otf2_archive *a)
{
	OWNED uint32_t *process = xcalloc(a->places.n + 1, sizeof *process);

	for (size_t i = 0; i < a->places.n; i++)
		if (!a->places.data[i].absent)
			process[a->places.data[i].location] = a->places.data[i].process;
	builder_use_exchange(a->builder, a->options->exchange, process);
}

/* ---- what was found out while reading ---- */

struct shard_place {
	uint32_t place;
	uint8_t state, bad_defs, other_clock, unused;
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
		vec_push(&places, ((struct shard_place){ i, place->state, place->bad_defs,
							 place->other_clock, 0 }));
		for (size_t k = 0; k < place->offsets.n; k++)
			vec_push(&offsets, ((struct shard_offset){ i, place->offsets.data[k] }));
		place->offsets.n = 0;
	}
	exchange_rows(x, &places);
	exchange_rows(x, &offsets);
	vec_each (p, &places) {
		a->places.data[p->place].state = p->state;
		a->places.data[p->place].bad_defs = p->bad_defs;
		a->places.data[p->place].other_clock = p->other_clock;
	}
	vec_each (o, &offsets)
		vec_push(&a->places.data[o->place].offsets, o->offset);
}
