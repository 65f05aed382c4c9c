/* view_copies: one row for each copy between a host and its accelerators, by its begin, then by the
 * rank and thread of the location that recorded it and the order of the file. */
#include "model/trace/copy.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

#define COLUMNS(ROW)                                                               \
	ROW(C_BEGIN, "begin_s", "begin [s]", COLUMN_TIME, 14, true, true)          \
	ROW(C_DURATION, "duration_s", "duration", COLUMN_DURATION, 10, true, true) \
	ROW(C_DIRECTION, "direction", "direction", COLUMN_TEXT, 9, true, true)     \
	ROW(C_FROM, "from", "from", COLUMN_TEXT, 16, true, true)                   \
	ROW(C_TO, "to", "to", COLUMN_TEXT, 16, true, true)                         \
	ROW(C_BYTES, "bytes", "bytes", COLUMN_BYTES, 10, true, true)               \
	ROW(C_RATE, "bytes_per_s", "bytes per s", COLUMN_BYTES, 11, true, true)    \
	ROW(C_RANK, "rank", "rank", COLUMN_RANK, 5, true, false)                   \
	ROW(C_REGION, "region", "in", COLUMN_NAME, 14, true, false)                \
	ROW(C_EVENT, "event", "event", COLUMN_INT, 10, true, false)
enum { COLUMNS(COLUMN_ID) C_COLUMNS };
static const struct column columns[C_COLUMNS] = { COLUMNS(COLUMN_ROW) };

struct copies_table {
	struct list_table list;
	enum time_base base;
};

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct copies_table *t = (const struct copies_table *)list;
	const struct trace *trace = list->trace;
	const struct copy *copy = trace_copy(trace, item);
	const uint32_t location = trace_event_location(trace, copy->begin);
	int64_t begin, end;
	const bool complete = copy_span(trace, t->base, copy, &begin, &end);

	v[C_BEGIN] = value_integer(true, begin);
	v[C_DURATION] = value_integer(complete, end - begin);
	v[C_DIRECTION] = value_text(copy_direction_name(copy_direction(trace, copy)));
	v[C_FROM] = value_location(trace, copy_from(trace, copy));
	v[C_TO] = value_location(trace, copy_to(trace, copy));
	v[C_BYTES] = value_bytes(copy->bytes);
	v[C_RATE] =
		value_integer(complete && end > begin, copy_rate(trace, copy->bytes, end - begin));
	v[C_RANK] = value_rank(trace_location(trace, location)->rank);
	v[C_REGION] = value_region_at(trace, copy->begin);
	v[C_EVENT] = value_event(trace, copy->begin);
}

static struct row_thing thing(const struct list_table *list, uint32_t item)
{
	return (struct row_thing){ THING_EVENT, trace_copy(list->trace, item)->begin, 0 };
}

static bool collect(void *context, uint32_t id, const struct copy *copy)
{
	struct row_places *places = context;

	vec_push(&places->list, row_place_of(places->query, copy->begin, id));
	return true;
}

struct table *copies_table_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = cells, .thing = thing };
	struct copies_table *t = list_table_new(sizeof *t, &ops, columns, C_COLUMNS, query->trace);
	struct row_places places = { .query = query };

	(void)err;
	t->base = query->base;
	copies_collect(query, collect, &places);
	t->list.table.sorted_by = C_BEGIN;
	return list_table_of_places(&t->list, &places);
}
