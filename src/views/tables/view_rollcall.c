/* view_rollcall: the position of every location when the trace ended with calls open. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "patterns/analysis/rollcall.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

#define COLUMNS(ROW)                                                           \
	ROW(R_RANK, "rank", "rank", COLUMN_RANK, 5, true, true)                \
	ROW(R_THREAD, "thread", "thread", COLUMN_INT, 6, true, false)          \
	ROW(R_STATE, "state", "state", COLUMN_TEXT, 10, true, true)            \
	ROW(R_REGION, "region", "in", COLUMN_NAME, 20, true, true)             \
	ROW(R_SINCE, "since_s", "since", COLUMN_TIME, 14, true, true)          \
	ROW(R_FOR, "open_s", "for", COLUMN_DURATION, 10, true, true)           \
	ROW(R_PEER, "peer", "waits for", COLUMN_RANK, 9, true, true)           \
	ROW(R_TAG, "tag", "tag", COLUMN_INT, 5, true, true)                    \
	ROW(R_COMM, "comm", "communicator", COLUMN_TEXT, 12, true, true)       \
	ROW(R_PENDING, "pending", "pending", COLUMN_INT, 7, true, true)        \
	ROW(R_GROUP, "group", "group", COLUMN_INT, 5, true, true)              \
	ROW(R_CYCLE, "cycle", "in cycle", COLUMN_INT, 8, true, true)           \
	ROW(R_WAITERS, "waiters", "waited for by", COLUMN_INT, 13, true, true) \
	ROW(R_CALLPATH, "callpath", "call path", COLUMN_NAME, 0, true, true)
enum { COLUMNS(COLUMN_ID) R_COLUMNS };
static const struct column columns[R_COLUMNS] = { COLUMNS(COLUMN_ROW) };

struct rollcall_table {
	struct list_table list;
	struct rollcall roll;
	uint32_t *place;   /* [location] its place in the cycle, from 1; 0: none */
	uint32_t *waiters; /* [location] */
};

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	struct rollcall_table *t = (struct rollcall_table *)list;
	const struct roll *r = &t->roll.rolls[item];
	const struct location *location = trace_location(list->trace, item);
	struct str *path = list_table_text(list);

	if (r->path)
		trace_callpath_text(list->trace, r->path, path);
	v[R_RANK] = value_rank(location->rank);
	v[R_THREAD] = value_integer(true, location->thread);
	v[R_STATE] = value_text(roll_state_name(r->state));
	v[R_REGION] =
		value_text(r->path ? trace_region_name(list->trace,
						       trace_callpath_region(list->trace, r->path))
				   : NULL);
	v[R_SINCE] = value_integer(r->state != ROLL_UNKNOWN, r->since);
	v[R_FOR] = value_integer(r->state != ROLL_ENDED && r->state != ROLL_UNKNOWN,
				 t->roll.last - r->since);
	v[R_PEER] = value_rank(r->peer);
	v[R_TAG] = value_integer(r->tag_known, r->tag);
	v[R_COMM] = r->comm != UINT32_MAX ? value_comm(list->trace, r->comm) : value_text(NULL);
	v[R_PENDING] = value_integer(r->pending, r->pending);
	v[R_GROUP] = value_integer(true, r->group + 1);
	v[R_CYCLE] = value_integer(t->place[item], t->place[item]);
	v[R_WAITERS] = value_integer(t->waiters[item], t->waiters[item]);
	v[R_CALLPATH] = value_text(path->text);
}

static void fini(struct list_table *list)
{
	struct rollcall_table *t = (struct rollcall_table *)list;

	rollcall_fini(&t->roll);
	free_all(t->place, t->waiters);
}

struct table *rollcall_table_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = cells,
					     .fini = fini,
					     .items = THING_LOCATION };
	struct rollcall_table *t =
		list_table_new(sizeof *t, &ops, columns, R_COLUMNS, query->trace);
	const uint32_t n = trace_location_count(query->trace);
	OWNED bool *chosen = query_chosen(query);

	(void)err;
	t->place = xcalloc(n, sizeof *t->place);
	t->waiters = xcalloc(n, sizeof *t->waiters);
	if (rollcall_make(&t->roll, query->trace, query->base, query->progress)) {
		for (uint32_t i = 0; i < t->roll.n_cycle; i++)
			t->place[t->roll.cycle[i]] = i + 1;
		for (uint32_t i = 0; i < t->roll.n_blamed; i++)
			t->waiters[t->roll.blamed[i]] = t->roll.waiters[i];
		for (uint32_t l = 0; l < n; l++)
			if (chosen[l])
				list_table_add(&t->list, l);
	}
	return &t->list.table;
}
