/* The parts of a trace that its cache file contains. A new column is a row of one of the tables. */
#include <stdlib.h>
#include <string.h>

#include "model/cache/cache_state.h"
#include "model/sums/profile_sums.h"
#include "model/sums/shade.h"
#include "model/sums/sums.h"
#include "model/trace/store.h"

struct any_vec {
	void *data;
	size_t n, cap;
};

enum row_kind { ROW_VEC, ROW_SLAB };
enum { KEPT_ALIGN = 16 };

struct row {
	const char *name;
	enum row_kind kind;
	uint32_t element; /* bytes */
	size_t field;     /* offset in struct trace, or in the struct of a time base */
};

#define VECTOR(owner, field, name)                                                         \
	{                                                                                  \
		name, ROW_VEC, sizeof *((owner *)NULL)->field.data, offsetof(owner, field) \
	}
#define SLAB_ROW(owner, field, type, name)                           \
	{                                                            \
		name, ROW_SLAB, sizeof(type), offsetof(owner, field) \
	}

static const struct row of_trace[] = {
	SLAB_ROW(struct trace, strings.text, char, "text"),
	VECTOR(struct trace, strings.start, "text-starts"),
	VECTOR(struct trace, records, "records"),
	VECTOR(struct trace, extras.rows, "extras"),
	VECTOR(struct trace, time_texts.rows, "time-texts"),
#define TABLE(field, ...)     VECTOR(struct trace, field, #field),
#define SLAB(field, row, ...) SLAB_ROW(struct trace, field, row, #field),
#include "model/trace/trace_tables.def"
};

static const struct row of_column[] = {
	SLAB_ROW(struct column, times, struct times, "times"),
	SLAB_ROW(struct column, wide, int64_t[BLOCK_EVENTS], "wide-times"),
};

static const struct row of_shading[] = {
	VECTOR(struct shading, enter, "shading-enter"),
	VECTOR(struct shading, leave, "shading-leave"),
	VECTOR(struct shading, leave_stream, "shading-leave-stream"),
	VECTOR(struct shading, none, "shading-none"),
	SLAB_ROW(struct shading, sums, uint32_t, "shading-sums"),
	SLAB_ROW(struct shading, supers, uint64_t, "shading-supers"),
	SLAB_ROW(struct shading, wide, uint64_t, "shading-wide"),
};

static const struct row of_profile[] = {
	VECTOR(struct profile_sums, sums, "profile-sums"),
	VECTOR(struct profile_sums, ends, "profile-ends"),
	VECTOR(struct profile_sums, supers, "profile-supers"),
};

#define ROWS(table) table, sizeof table / sizeof *table

static void pass_rows(struct cache_io *io, void *owner, uint32_t index, const struct row *rows,
		      size_t n)
{
	for (const struct row *r = rows; r < rows + n; r++) {
		void *field = (char *)owner + r->field;
		if (r->kind == ROW_SLAB) {
			io_slab(io, r->name, index, r->element, field);
		} else {
			struct any_vec *v = field;
			io_array(io, r->name, index, r->element, &v->data, &v->n);
			if (io->pass == CACHE_READ)
				v->cap = 0; /* not ours to free */
		}
	}
}

/* Which parts there are, and what is not a table. */
struct facts {
	struct timescale scale;
	uint64_t events;
	uint64_t ranks; /* slots of rank_location */
	uint64_t ranks_used;
	struct base_facts {
		uint8_t made, shaded, profiled;
		uint8_t slots, outside; /* of the shading */
		uint8_t ordered[2];     /* messages, collectives: rows are not in order */
		uint8_t levels[2];      /* of their trees */
		int64_t begin, end;     /* trace_span() */
	} bases[BASE_COUNT];
};

static bool is_profiled(const struct trace *trace, const struct profile_sums *sums)
{
	if (!sums)
		return false;
	for (size_t l = 0; l < trace->locations.n; l++)
		if (sums->super_of[l] == UINT64_MAX)
			return false;
	return true;
}

static void order_facts(const struct order *order, uint8_t *ordered, uint8_t *levels)
{
	*ordered = order->rows != NULL;
	while (*levels < ORDER_LEVELS && order->last[*levels])
		++*levels;
}

static void gather_facts(const struct trace *trace, struct facts *facts)
{
	memset(facts, 0, sizeof *facts);
	facts->scale = trace->scale;
	facts->events = trace->events;
	facts->ranks = trace->rank_location.size;
	facts->ranks_used = trace->rank_location.n;
	for (int base = 0; base < BASE_COUNT; base++) {
		struct base_facts *f = &facts->bases[base];
		const struct shading *shading = trace->class_shading[base];
		f->made = trace->columns[base].made;
		f->profiled = f->made && is_profiled(trace, trace->profile_sums[base]);
		f->shaded = f->made && shading != NULL;
		f->slots = f->shaded ? (uint8_t)shading->slots : 0;
		f->outside = f->shaded ? shading->outside : 0;
		if (f->made)
			trace_span(trace, (enum time_base)base, &f->begin, &f->end);
		order_facts(&trace->message_order[base], &f->ordered[0], &f->levels[0]);
		order_facts(&trace->collective_order[base], &f->ordered[1], &f->levels[1]);
	}
}

static bool facts_hold(const struct facts *facts)
{
	for (int base = 0; base < BASE_COUNT; base++) {
		const struct base_facts *f = &facts->bases[base];
		if (f->levels[0] > ORDER_LEVELS || f->levels[1] > ORDER_LEVELS ||
		    f->slots > SHADING_SLOTS || (f->shaded && f->outside >= f->slots) ||
		    (f->shaded && !f->made) || (f->profiled && !f->made))
			return false;
	}
	return facts->bases[BASE_MEASURED].made && facts->scale.per_second > 0 &&
	       facts->ranks_used <= facts->ranks &&
	       (facts->ranks == 0 || (facts->ranks & (facts->ranks - 1)) == 0);
}

/* ---- definitions that own arrays ---- */

#define PASS_OWNED(io, array, n) io_owned(io, sizeof *(array), (const void **)&(array), n)

/* A table whose rows own arrays. */
#define OWNERS(io, name, v) pass_owners(io, name, sizeof *(v)->data, v)

static void pass_owners(struct cache_io *io, const char *name, uint32_t element, void *vec)
{
	struct any_vec *v = vec;

	io_copied(io, name, 0, element, &v->data, &v->n);
	v->cap = io->pass == CACHE_READ ? v->n : v->cap;
}

static void pass_comms(struct cache_io *io, struct trace *trace)
{
	struct comm *c;

	OWNERS(io, "comms", &trace->comms);
	io_begin(io, "comm-ranks", 0, sizeof *c->ranks, NULL);
	vec_each (c, &trace->comms) {
		PASS_OWNED(io, c->ranks, c->size);
		PASS_OWNED(io, c->remote, c->remote_size);
	}
}

static void pass_topologies(struct cache_io *io, struct trace *trace)
{
	struct topology *t;

	OWNERS(io, "topologies", &trace->topologies);
	vec_each (t, &trace->topologies)
		io->bad = io->bad || t->comm >= trace->comms.n;
	if (io->bad && io->pass == CACHE_READ)
		vec_fini(&trace->topologies);
	io_begin(io, "topology-grid", 0, sizeof *t->size, NULL);
	vec_each (t, &trace->topologies) {
		PASS_OWNED(io, t->size, t->dims);
		PASS_OWNED(io, t->coords, (size_t)trace->comms.data[t->comm].size * t->dims);
	}
	io_begin(io, "topology-periodic", 0, sizeof *t->periodic, NULL);
	vec_each (t, &trace->topologies)
		PASS_OWNED(io, t->periodic, t->dims);
}

static void pass_metric_sets(struct cache_io *io, struct trace *trace)
{
	struct metric_set *s;

	OWNERS(io, "metric-sets", &trace->metric_sets);
	io_begin(io, "set-metrics", 0, sizeof *s->metrics, NULL);
	vec_each (s, &trace->metric_sets)
		PASS_OWNED(io, s->metrics, s->n);
}

/* An array with as many elements as there should be; any other number is bad. */
static void pass_known(struct cache_io *io, const char *name, uint32_t index, uint32_t element,
		       void **data, size_t n, bool copied)
{
	size_t there = n;

	(copied ? io_copied : io_array)(io, name, index, element, data, &there);
	io->bad = io->bad || there != n;
}

static void pass_lent(struct cache_io *io, struct kept *k, uint32_t index)
{
	const bool reads = io->pass == CACHE_READ;
	void *value = (void *)(uintptr_t)k->value;

	pass_known(io, "kept-lent", index, 1, &value, (size_t)k->bytes, false);
	k->value = value;
	k->mapped = reads || k->mapped;
}

/* One of the values that are one after the other, each aligned for any type. */
static void pass_value(struct cache_io *io, struct kept *k)
{
	static const char zeros[KEPT_ALIGN];

	if (io->pass == CACHE_READ) {
		k->value = io_mapped(io, k->bytes, KEPT_ALIGN);
		k->mapped = true;
	} else {
		io_add(io, k->value, (size_t)k->bytes);
		io_add(io, zeros, (size_t)(-k->bytes % KEPT_ALIGN));
	}
}

static void pass_kept(struct cache_io *io, struct trace *trace)
{
	struct kept *k;

	OWNERS(io, "kept", &trace->kept);
	io_begin(io, "kept-values", 0, 1, NULL);
	vec_each (k, &trace->kept)
		if (!k->lent)
			pass_value(io, k);
	vec_each (k, &trace->kept)
		if (k->lent)
			pass_lent(io, k, (uint32_t)(k - trace->kept.data));
}

/* ---- by location ---- */

/* The blocks of every location: how many, then their ids one after the other. */
static void write_lists(struct cache_io *io, const struct trace *trace)
{
	const struct block_ids *list;

	io_begin(io, "list-lengths", 0, sizeof(uint32_t), NULL);
	vec_each (list, &trace->lists) {
		const uint32_t n = (uint32_t)list->n;
		io_add(io, &n, sizeof n);
	}
	io_begin(io, "lists", 0, sizeof(uint32_t), NULL);
	vec_each (list, &trace->lists)
		io_add(io, list->data, list->n * sizeof *list->data);
}

static void read_lists(struct cache_io *io, struct trace *trace)
{
	size_t n, all, at = 0;
	const uint32_t *lengths = io_begin(io, "list-lengths", 0, sizeof(uint32_t), &n);
	uint32_t *ids = io_begin(io, "lists", 0, sizeof(uint32_t), &all);

	if (io->bad || n != trace->locations.n) {
		io->bad = true;
		return;
	}
	vec_reserve(&trace->lists, n + 1);
	for (size_t l = 0; l < n && lengths[l] <= all - at; at += lengths[l++])
		trace->lists.data[trace->lists.n++] =
			(struct block_ids){ lengths[l] ? ids + at : NULL, lengths[l], 0 };
	/* Blocks that a thread took and did not need are in no list. */
	io->bad = trace->lists.n != n || at != all || all > store_block_count(trace);
	for (size_t i = 0; i < all && !io->bad; i++)
		io->bad = ids[i] >= store_block_count(trace);
}

#define ARRAY(io, name, index, array, n) \
	pass_known(io, name, index, sizeof *(array), (void **)&(array), n, false)
#define COPIED(io, name, index, array, n) \
	pass_known(io, name, index, sizeof *(array), (void **)&(array), n, true)

static void pass_location_tables(struct cache_io *io, struct trace *trace, struct facts *facts)
{
	COPIED(io, "offset-of", 0, trace->offset_of, trace->locations.n + 1);
	COPIED(io, "rank-locations", 0, trace->rank_location.slots, (size_t)facts->ranks);
	trace->rank_location.size = (size_t)facts->ranks;
	trace->rank_location.n = (size_t)facts->ranks_used;
	if (io->pass == CACHE_READ)
		read_lists(io, trace);
	else
		write_lists(io, trace);
}

/* ---- by time base ---- */

static void pass_order(struct cache_io *io, struct order *order, uint32_t index, uint32_t rows,
		       bool ordered, unsigned levels)
{
	order->borrowed = order->borrowed || io->pass == CACHE_READ;
	if (levels == 0)
		return;
	order->n = rows;
	if (ordered)
		ARRAY(io, "order", index, order->rows, rows);
	ARRAY(io, "order-chunks", index, order->first, rows / ORDER_CHUNK + 1);
	for (unsigned level = 0; level < levels; level++)
		ARRAY(io, "order-tree", index * ORDER_LEVELS + level, order->last[level],
		      order_nodes(rows, (int)level));
}

static void pass_shading(struct cache_io *io, struct trace *trace, int base,
			 const struct base_facts *facts)
{
	struct shading *s = trace->class_shading[base];
	size_t supers;

	if (io->pass == CACHE_READ) {
		s = trace->class_shading[base] = xcalloc(1, sizeof *s);
		sums_attach(trace);
		s->trace = trace;
		s->base = (enum time_base)base;
		s->slots = facts->slots;
		s->outside = facts->outside;
	}
	pass_rows(io, s, (uint32_t)base, ROWS(of_shading));
	supers = s->supers.size / sizeof(uint64_t) / s->slots;
	COPIED(io, "shading-wide-rows", (uint32_t)base, s->wide_row, supers);
	COPIED(io, "shading-super-of", (uint32_t)base, s->super_of, trace->locations.n + 1);
	if (io->pass == CACHE_READ)
		io->bad = io->bad || s->sums.size / sizeof(uint32_t) !=
					     (size_t)store_block_count(trace) * s->slots;
	io->bad = io->bad || s->enter.n != trace->paths.n || s->leave.n != trace->paths.n ||
		  s->leave_stream.n != trace->paths.n || s->none.n != trace->paths.n;
}

static void pass_profile(struct cache_io *io, struct trace *trace, int base)
{
	struct profile_sums *p = trace->profile_sums[base];

	if (io->pass == CACHE_READ) {
		p = trace->profile_sums[base] = xcalloc(1, sizeof *p);
		sums_attach(trace);
	}
	pass_rows(io, p, (uint32_t)base, ROWS(of_profile));
	COPIED(io, "profile-super-of", (uint32_t)base, p->super_of, trace->locations.n);
	COPIED(io, "profile-outermost", (uint32_t)base, p->outermost, trace->paths.n);
}

static void pass_base(struct cache_io *io, struct trace *trace, int base, struct facts *facts)
{
	const struct base_facts *f = &facts->bases[base];
	struct column *column = &trace->columns[base];
	const uint32_t index = 2 * (uint32_t)base;

	if (!f->made)
		return;
	pass_rows(io, column, (uint32_t)base, ROWS(of_column));
	column->made = true;
	trace->spans[base].begin = f->begin;
	trace->spans[base].end = f->end;
	trace->spans[base].known = true;
	io->bad = io->bad || column->times.size / sizeof(struct times) != store_block_count(trace);
	pass_order(io, &trace->message_order[base], index, trace_message_count(trace),
		   f->ordered[0], f->levels[0]);
	pass_order(io, &trace->collective_order[base], index + 1, trace_collective_count(trace),
		   f->ordered[1], f->levels[1]);
	if (f->shaded && !io->bad)
		pass_shading(io, trace, base, f);
	if (f->profiled && !io->bad)
		pass_profile(io, trace, base);
}

/* ---- all of it ---- */

void cache_pass(struct cache_io *io, struct trace *trace)
{
	struct facts facts;

	gather_facts(trace, &facts);
	io_value(io, "facts", &facts, sizeof facts);
	if (io->pass == CACHE_READ && (io->bad || !facts_hold(&facts))) {
		io->bad = true;
		return;
	}
	trace->scale = facts.scale;
	trace->events = facts.events;
	pass_rows(io, trace, 0, ROWS(of_trace));
	if (io->bad)
		return;
	pass_comms(io, trace);
	pass_topologies(io, trace);
	pass_metric_sets(io, trace);
	pass_kept(io, trace);
	if (!io->bad)
		pass_location_tables(io, trace, &facts);
	for (int base = 0; base < BASE_COUNT && !io->bad; base++)
		pass_base(io, trace, base, &facts);
	io->bad = io->bad || (io->pass == CACHE_READ && io->next != io->sections.n);
}

uint64_t cache_layout(void)
{
	static const struct {
		const struct row *rows;
		size_t n;
	} tables[] = {
		{ ROWS(of_trace) }, { ROWS(of_column) }, { ROWS(of_shading) }, { ROWS(of_profile) }
	};
	uint64_t sum = sizeof(struct facts) + KEPT_ALIGN;

	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
		for (const struct row *r = tables[t].rows; r < tables[t].rows + tables[t].n; r++) {
			const uint64_t what[3] = { sum, guard_sum(r->name, strlen(r->name)),
						   r->element };
			sum = guard_sum(what, sizeof what);
		}
	return sum;
}
