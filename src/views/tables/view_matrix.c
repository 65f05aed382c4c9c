/* view_matrix: who sent how much to whom: one row a pair of ranks that exchanged messages. */
#include <stdlib.h>

#include "views/query/table_list.h"
#include "views/query/view_common.h"

#define COLUMNS(ROW)                                                                           \
	ROW(X_SRC, "src", "src", COLUMN_RANK, 5, true, true)                                   \
	ROW(X_DST, "dst", "dst", COLUMN_RANK, 5, true, true)                                   \
	ROW(X_MESSAGES, "messages", "messages", COLUMN_COUNT, 10, true, true)                  \
	ROW(X_BYTES, "bytes", "bytes", COLUMN_BYTES, 10, true, true)                           \
	ROW(X_MEAN_BYTES, "mean_bytes", "mean size", COLUMN_BYTES, 10, true, true)             \
	ROW(X_MIN_LATENCY, "min_latency_s", "min latency", COLUMN_DURATION, 11, true, true)    \
	ROW(X_MEAN_LATENCY, "mean_latency_s", "mean latency", COLUMN_DURATION, 12, true, true) \
	ROW(X_MAX_LATENCY, "max_latency_s", "max latency", COLUMN_DURATION, 11, true, true)
enum matrix_column { COLUMNS(COLUMN_ID) X_COLUMNS };
static const struct column columns[X_COLUMNS] = { COLUMNS(COLUMN_ROW) };

struct pair {
	int32_t src, dst;
	uint64_t messages;
	uint64_t sized, bytes; /* messages whose size is known, and their sum */
	uint64_t matched;      /* messages whose ends are both known */
	int64_t min, max;      /* latency, ticks */
	__int128 sum;
};

struct matrix_table {
	struct list_table list;
	const struct query *query; /* while the table is made */
	VEC(struct pair) pairs;
	uint32_t *slots; /* hash of (src, dst) to 1 + pair; a power of two, at most half full */
	size_t n_slots;
};

/* ---- pairs by their ranks ---- */

static size_t slot_of(const struct matrix_table *t, int32_t src, int32_t dst)
{
	const uint64_t key = (uint64_t)(uint32_t)src << 32 | (uint32_t)dst;
	const uint64_t mixed = key * 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio */
	size_t slot = (size_t)(mixed >> 20) & (t->n_slots - 1);

	for (; t->slots[slot]; slot = (slot + 1) & (t->n_slots - 1)) {
		const struct pair *pair = &t->pairs.data[t->slots[slot] - 1];
		if (pair->src == src && pair->dst == dst)
			break;
	}
	return slot;
}

static void grow(struct matrix_table *t)
{
	free(t->slots);
	t->n_slots = t->n_slots ? 2 * t->n_slots : 64;
	t->slots = xcalloc(t->n_slots, sizeof *t->slots);
	for (size_t i = 0; i < t->pairs.n; i++)
		t->slots[slot_of(t, t->pairs.data[i].src, t->pairs.data[i].dst)] =
			(uint32_t)(i + 1);
}

static struct pair *pair_of(struct matrix_table *t, int32_t src, int32_t dst)
{
	size_t slot;
	struct pair *pair;

	if (2 * (t->pairs.n + 1) > t->n_slots)
		grow(t);
	slot = slot_of(t, src, dst);
	if (t->slots[slot])
		return &t->pairs.data[t->slots[slot] - 1];
	pair = vec_add(&t->pairs);
	pair->src = src;
	pair->dst = dst;
	t->slots[slot] = (uint32_t)t->pairs.n;
	return pair;
}

static bool add_message(void *context, uint32_t id, const struct message *m)
{
	struct matrix_table *t = context;
	struct pair *pair =
		pair_of(t, message_source(t->list.trace, m), message_destination(t->list.trace, m));

	(void)id;
	pair->messages++;
	if (!(m->flags & MSG_NO_BYTES)) {
		pair->sized++;
		pair->bytes += message_bytes(m);
	}
	if (!(m->flags & (MSG_NO_SEND | MSG_NO_RECV))) {
		const enum time_base base = t->query->base;
		const int64_t latency = trace_event_time(t->list.trace, base, m->recv) -
					trace_event_time(t->list.trace, base, m->send);
		if (!pair->matched || latency < pair->min)
			pair->min = latency;
		if (!pair->matched || latency > pair->max)
			pair->max = latency;
		pair->matched++;
		pair->sum += latency;
	}
	return true;
}

/* ---- the table ---- */

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct matrix_table *t = (struct matrix_table *)list;
	const struct pair *p = &t->pairs.data[item];
	const bool matched = p->matched != 0;

	v[X_SRC] = value_rank(p->src);
	v[X_DST] = value_rank(p->dst);
	v[X_MESSAGES] = value_integer(true, (int64_t)p->messages);
	v[X_BYTES] = value_integer(p->sized, (int64_t)p->bytes);
	v[X_MEAN_BYTES] = value_integer(p->sized, 0);
	if (p->sized)
		v[X_MEAN_BYTES].integer = (int64_t)((p->bytes + p->sized / 2) / p->sized);
	v[X_MIN_LATENCY] = value_integer(matched, p->min);
	v[X_MEAN_LATENCY] = value_integer(matched, 0);
	if (matched)
		v[X_MEAN_LATENCY].integer = (int64_t)(p->sum / (__int128)p->matched);
	v[X_MAX_LATENCY] = value_integer(matched, p->max);
}

static struct row_thing thing(const struct list_table *list, uint32_t item)
{
	const struct pair *p = &((const struct matrix_table *)list)->pairs.data[item];

	return (struct row_thing){ THING_RANKS, (uint32_t)p->src, (uint32_t)p->dst };
}

static void fini(struct list_table *list)
{
	struct matrix_table *t = (struct matrix_table *)list;

	vec_fini(&t->pairs);
	free(t->slots);
}

struct table *matrix_table_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = cells, .fini = fini, .thing = thing };
	struct matrix_table *t = list_table_new(sizeof *t, &ops, columns, X_COLUMNS, query->trace);

	(void)err;
	t->query = query;
	messages_collect(query, add_message, t);
	t->query = NULL;
	list_table_add_all(&t->list, t->pairs.n);
	list_table_sort(&t->list.table, X_DST, false);
	list_table_sort(&t->list.table, X_SRC, false);
	return list_table_done(&t->list, !query_stopped(query));
}
