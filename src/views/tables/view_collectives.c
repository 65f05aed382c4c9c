/* view_collectives: one row for each collective operation, by the time at which its first member
 * began. */
#include <stdlib.h>

#include "views/query/table_list.h"
#include "views/query/view_common.h"

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
	enum time_base base;
};

struct sums {
	uint64_t sent, received; /* UINT64_MAX: no member knows */
	uint32_t last;           /* the event with the latest begin, or EVENT_NONE */
	int64_t last_begin;
};

static void add_bytes(uint64_t *sum, uint64_t bytes)
{
	if (bytes != UINT64_MAX)
		*sum = *sum == UINT64_MAX ? bytes : *sum + bytes;
}

static struct sums sums_of(const struct collectives_table *t, const struct collective *c)
{
	struct sums s = { .sent = UINT64_MAX, .received = UINT64_MAX, .last = EVENT_NONE };

	for (uint32_t i = 0; i < c->members; i++) {
		const struct member *member = trace_member(t->list.trace, c->first + i);
		int64_t begin;
		add_bytes(&s.sent, member->sent);
		add_bytes(&s.received, member->received);
		if (member->begin == EVENT_NONE)
			continue;
		begin = trace_event_time(t->list.trace, t->base, member->begin);
		if (s.last == EVENT_NONE || begin > s.last_begin) {
			s.last = member->begin;
			s.last_begin = begin;
		}
	}
	return s;
}

static const struct location *location_at(const struct collectives_table *t, uint32_t event)
{
	return trace_location(t->list.trace, trace_event_location(t->list.trace, event));
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	struct collectives_table *t = (struct collectives_table *)list;
	const struct collective *c = trace_collective(t->list.trace, item);
	const struct sums s = sums_of(t, c);
	int64_t begin, end;

	collective_span(t->list.trace, t->base, c, &begin, &end);
	v[C_COMM] = value_comm(t->list.trace, c->comm);
	v[C_OP] = value_text(trace_region_name(t->list.trace, c->region));
	v[C_ROOT] = value_rank(c->root);
	v[C_BEGIN] = value_integer(true, begin);
	v[C_END] = value_integer(true, end);
	v[C_RANKS] = value_integer(true, c->members);
	v[C_SENT] = value_bytes(s.sent);
	v[C_RECEIVED] = value_bytes(s.received);
	v[C_DURATION] = value_integer(true, end - begin);
	v[C_LATE] = value_integer(s.last != EVENT_NONE, s.last_begin);
	v[C_LAST] = value_rank(s.last == EVENT_NONE ? RANK_UNKNOWN : location_at(t, s.last)->rank);
	v[C_FLAGS] =
		value_text(c->flags & COLL_INCOMPLETE
				   ? (c->flags & COLL_GUESSED ? "incomplete guessed" : "incomplete")
				   : (c->flags & COLL_GUESSED ? "guessed" : NULL));
}

/* ---- which rows, in which order ---- */

static void collect(void *context, uint32_t id, const struct collective *c)
{
	struct row_places *places = context;
	const struct query *query = places->query;
	struct row_place place = { .rank = INT32_MAX, .event = EVENT_NONE, .row = id };
	int64_t end;

	collective_span(query->trace, query->base, c, &place.time, &end);
	for (uint32_t i = 0; i < c->members; i++) {
		const uint32_t event = collective_event(trace_member(query->trace, c->first + i));
		struct row_place p;
		if (event == EVENT_NONE)
			continue;
		p = row_place_of(query, event, id);
		if (p.time == place.time && row_place_compare(&p, &place) < 0)
			place = p;
	}
	vec_push(&places->list, place);
}

struct table *collectives_table_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = cells, .items = THING_COLLECTIVE };
	struct collectives_table *t =
		list_table_new(sizeof *t, &ops, columns, C_COLUMNS, query->trace);
	struct row_places places = { .query = query };

	(void)err;
	t->base = query->base;
	collectives_collect(query, collect, &places);
	t->list.table.sorted_by = C_BEGIN;
	return list_table_of_places(&t->list, &places);
}
