/* An archive that several processes read, each some of the locations (base/exchange.h): which ones,
 * and what all must know of them. */
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/units.h"
#include "model/otf2/read/otf2_archive.h"

/* Locations that stay together are a unit: those of a rank, of a team of threads, and of a group
 * (an operating system's process) of which one has no rank, with the group that made it. */
struct dealing {
	struct otf2_archive *a;
	struct keymap ranks;  /* rank: unit */
	VEC(uint64_t) weight; /* [units] */
	VEC(uint32_t) with;   /* [units] the one that it was joined to, itself */
	VEC(uint32_t) process;
	uint64_t all; /* weight */
};

static uint64_t weight_of(const struct otf2_place *place, bool by_size)
{
	return by_size ? place->bytes : place->events;
}

static uint32_t unit_of(struct dealing *d, const struct otf2_place *place)
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
static uint32_t first_of(const struct dealing *d, uint32_t unit)
{
	while (d->with.data[unit] != unit)
		unit = d->with.data[unit] = d->with.data[d->with.data[unit]];
	return unit;
}

static void join(const struct dealing *d, uint32_t a, uint32_t b)
{
	a = first_of(d, a);
	b = first_of(d, b);
	if (a < b)
		d->with.data[b] = a;
	else
		d->with.data[a] = b;
}

/* The unit of each location, UINT32_MAX: it has no place. Several places may be one location. */
static uint32_t *units_of_locations(const struct dealing *d, const uint32_t *unit)
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

static void join_teams(const struct dealing *d, const uint32_t *unit)
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

/* Units in the order of their first locations, to processes in turn: each gets units until the
 * share of all processes up to it is reached. Gives the weight of the process that has most. */
static uint64_t deal(struct dealing *d, uint32_t processes)
{
	uint64_t done = 0, mine = 0, most = 0, next;
	uint32_t process = 0;

	d->process.n = 0;
	for (size_t i = 0; i < d->weight.n; i++) {
		vec_push(&d->process, process);
		done += d->weight.data[i];
		mine += d->weight.data[i];
		most = mine > most ? mine : most;
		next = d->all ? (uint64_t)((unsigned __int128)done * processes / d->all)
			      : processes;
		next = next < processes ? next : processes - 1;
		if (next > process)
			mine = 0;
		process = (uint32_t)next;
	}
	return most;
}

/* ---- memory ---- */

/* What a process needs: beside the definitions, for each event, and for each byte of a file where
 * the events are not counted. Measured with patterns, which need most: 48 to 70. */
enum { BYTES_ALONE = 32 << 20, BYTES_OF_EVENT = 70, BYTES_OF_BYTE = 10 };

static uint64_t memory_for(uint64_t weight, bool by_size)
{
	return BYTES_ALONE + weight * (by_size ? BYTES_OF_BYTE : BYTES_OF_EVENT);
}

/* A number of processes that do, few more than the least; 0: none, as units are not divided. */
static uint32_t processes_for(struct dealing *d, uint64_t limit, bool by_size)
{
	uint64_t heaviest = 0;

	for (size_t i = 0; i < d->weight.n; i++)
		heaviest = d->weight.data[i] > heaviest ? d->weight.data[i] : heaviest;
	if (memory_for(heaviest, by_size) > limit)
		return 0;
	for (uint32_t n = 1; n < UINT32_MAX / 2; n += n / 16 + 1)
		if (memory_for(deal(d, n), by_size) <= limit)
			return n;
	return UINT32_MAX / 2;
}

static bool has_room(struct dealing *d, uint64_t most, bool by_size, struct err *err)
{
	const struct load_options *options = d->a->options;
	const uint64_t need = memory_for(most, by_size);
	OWNED_STR needed = STR_INIT, allowed = STR_INIT;
	uint32_t enough;

	if (!options->max_mem || need <= options->max_mem)
		return true;
	units_bytes(&needed, need);
	units_bytes(&allowed, options->max_mem);
	enough = processes_for(d, options->max_mem, by_size);
	if (!enough)
		return err_set(err, STATUS_IO,
			       "%s: one rank alone needs more than --max-mem allows a process "
			       "(%s); this one needs about %s",
			       d->a->anchor, allowed.text, needed.text);
	return err_set(err, STATUS_IO,
		       "%s: a process would need about %s, and --max-mem allows %s: %u processes "
		       "would do",
		       d->a->anchor, needed.text, allowed.text, enough);
}

/* The group that made a place's group, by its number in the archive. */
static uint32_t creator_of(const struct otf2_archive *a, const struct otf2_place *place)
{
	const uint32_t row =
		otf2_ids_get(&a->process_rows, a->defs.locations.data[place->def].process);

	return row == UINT32_MAX ? UINT32_MAX : a->defs.processes.data[row].creator;
}

static void join_groups(const struct dealing *d, const uint32_t *unit)
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
	struct dealing d = { .a = a };
	OWNED uint32_t *unit = xmalloc((a->places.n + 1) * sizeof *unit);
	uint64_t most;
	bool ok;

	for (size_t i = 0; i < a->places.n; i++)
		unit[i] = unit_of(&d, &a->places.data[i]);
	join_teams(&d, unit);
	join_groups(&d, unit);
	for (size_t i = 0; i < a->places.n; i++) {
		const uint64_t weight = weight_of(&a->places.data[i], by_size);
		d.weight.data[first_of(&d, unit[i])] += weight;
		d.all += weight;
	}
	most = deal(&d, exchange_processes(a->options->exchange));
	for (size_t i = 0; i < a->places.n; i++)
		a->places.data[i].process = d.process.data[first_of(&d, unit[i])];
	ok = has_room(&d, most, by_size, err);
	keymap_fini(&d.ranks);
	vec_fini(&d.weight);
	vec_fini(&d.with);
	vec_fini(&d.process);
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
