/* view_matrix: messages between ranks: one row for each pair that exchanged any. */
#include "base/keymap.h"
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
	struct list_table list;    /* of struct pair */
	const struct query *query; /* while the table is made */
	struct keymap items;       /* (src, dst): item; while the table is made */
};

static struct pair *pair_of(struct matrix_table *t, int32_t src, int32_t dst)
{
	uint32_t item;

	if (keymap_new(&t->items, KEY_OF((uint32_t)src, (uint32_t)dst),
		       list_table_row_count(&t->list), &item))
		list_table_add_row(&t->list, &(struct pair){ .src = src, .dst = dst });
	return list_table_row(&t->list, item);
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
	if (message_arrived(m)) {
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
	const struct pair *p = list_table_row(list, item);
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
	const struct pair *p = list_table_row(list, item);

	return (struct row_thing){ THING_RANKS, (uint32_t)p->src, (uint32_t)p->dst };
}

struct table *matrix_table_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = cells,
					     .row_size = sizeof(struct pair),
					     .thing = thing };
	struct matrix_table *t = list_table_new(sizeof *t, &ops, columns, X_COLUMNS, query->trace);

	(void)err;
	t->query = query;
	messages_collect(query, add_message, t);
	keymap_fini(&t->items);
	list_table_sort(&t->list.table, X_DST, false);
	list_table_sort(&t->list.table, X_SRC, false);
	return list_table_done(&t->list, !query_stopped(query));
}
