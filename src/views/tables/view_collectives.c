/* view_collectives: one row for each collective operation, by the time at which its first member
 * began. */
#include <stdlib.h>

#include "model/trace/halo.h"
#include "views/facts/collective_facts.h"
#include "views/query/table_list.h"

/* The first eight and their order are promised to readers of exports. */
#define COLUMNS(ROW)                                                                \
	ROW(C_COMM, "comm", "comm", COLUMN_TEXT, 14, true, true)                    \
	ROW(C_OP, "op", "operation", COLUMN_TEXT, 16, true, true)                   \
	ROW(C_ROOT, "root", "root", COLUMN_RANK, 5, true, true)                     \
	ROW(C_BEGIN, "begin_s", "begin [s]", COLUMN_TIME, 14, true, true)           \
	ROW(C_END, "end_s", "end [s]", COLUMN_TIME, 14, true, true)                 \
	ROW(C_RANKS, "ranks", "ranks", COLUMN_COUNT, 6, true, true)                 \
	ROW(C_SENT, "bytes_sent", "sent", COLUMN_BYTES, 10, true, true)             \
	ROW(C_RECEIVED, "bytes_received", "received", COLUMN_BYTES, 10, true, true) \
	ROW(C_DURATION, "duration_s", "duration", COLUMN_DURATION, 10, true, true)  \
	ROW(C_LATE, "last_begin_s", "last begin", COLUMN_TIME, 14, true, false)     \
	ROW(C_LAST, "last_rank", "last", COLUMN_RANK, 5, true, true)                \
	ROW(C_FLAGS, "flags", "remarks", COLUMN_TEXT, 0, true, true)
enum collectives_column { COLUMNS(COLUMN_ID) C_COLUMNS };
static const struct column columns[C_COLUMNS] = { COLUMNS(COLUMN_ROW) };

struct collectives_table {
	struct list_table list;
	struct query query;           /* trace and base, for the facts of items: collectives */
	struct collective_list facts; /* [items] instead, where several processes share the trace */
};

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct collectives_table *t = (const struct collectives_table *)list;
	const struct collective_facts f =
		t->facts.n ? t->facts.data[item] : collective_facts_of(&t->query, NULL, item);

	v[C_COMM] = value_comm(t->list.trace, f.comm);
	v[C_OP] = value_text(trace_region_name(t->list.trace, f.region));
	v[C_ROOT] = value_rank(f.root);
	v[C_BEGIN] = value_integer(true, f.begin);
	v[C_END] = value_integer(true, f.end);
	v[C_RANKS] = value_integer(true, f.members);
	v[C_SENT] = value_bytes(f.sent);
	v[C_RECEIVED] = value_bytes(f.received);
	v[C_DURATION] = value_integer(true, f.end - f.begin);
	v[C_LATE] = value_integer(f.last != UINT32_MAX, f.last_begin);
	v[C_LAST] = value_rank(f.last_rank);
	v[C_FLAGS] =
		value_text(f.flags & COLL_INCOMPLETE
				   ? (f.flags & COLL_GUESSED ? "incomplete guessed" : "incomplete")
				   : (f.flags & COLL_GUESSED ? "guessed" : NULL));
}

static void fini(struct list_table *list)
{
	vec_fini(&((struct collectives_table *)list)->facts);
}

/* ---- which rows, in which order ---- */

static void collect(void *context, uint32_t id, const struct collective *c)
{
	struct row_places *places = context;

	(void)c;
	vec_push(&places->list, collective_facts_of(places->query, NULL, id).place);
}

/* Of those that have all their members here, and of those that are at home here. */
static void collect_shared(void *context, uint32_t id, const struct collective *c)
{
	struct collectives_table *t = context;

	(void)c;
	if (id < trace_first_turn(t->query.trace))
		vec_push(&t->facts, collective_facts_of(&t->query, NULL, id));
}

static void share(struct collectives_table *t, struct row_places *places)
{
	collectives_collect(places->query, collect_shared, t);
	collective_facts_share(places->query, &t->facts);
	for (uint32_t i = 0; i < t->facts.n; i++) {
		vec_push(&places->list, t->facts.data[i].place);
		vec_last(&places->list)->row = i;
	}
}

struct table *collectives_table_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = cells,
					     .fini = fini,
					     .items = THING_COLLECTIVE };
	struct collectives_table *t =
		list_table_new(sizeof *t, &ops, columns, C_COLUMNS, query->trace);
	struct row_places places = { .query = query };

	(void)err;
	t->query = (struct query){ .trace = query->trace, .base = query->base };
	if (trace_exchange(query->trace))
		share(t, &places);
	else
		collectives_collect(query, collect, &places);
	t->list.table.sorted_by = C_BEGIN;
	return list_table_of_places(&t->list, &places);
}
