#include "views/tables/view_sequences.h"

#include "base/order.h"
#include "views/facts/match_search.h"
#include "views/facts/place_words.h"
#include "views/query/table_gather.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

#define COLUMNS(ROW)                                                           \
	ROW(S_BEGIN, "begin_s", "from [s]", COLUMN_TIME, 13, true, true)       \
	ROW(S_DURATION, "duration_s", "took", COLUMN_DURATION, 10, true, true) \
	ROW(S_RANK, "rank", "rank", COLUMN_RANK, 5, true, true)                \
	ROW(S_CALLS, "calls", "calls", COLUMN_COUNT, 7, true, true)            \
	ROW(S_FIRST, "first", "first call", COLUMN_NAME, 16, true, true)       \
	ROW(S_LAST, "last", "last call", COLUMN_NAME, 16, true, true)          \
	ROW(S_SOURCE, "line", "line", COLUMN_TEXT, 14, true, true)             \
	ROW(S_CALLPATH, "callpath", "in", COLUMN_NAME, 0, true, true)          \
	ROW(S_THREAD, "thread", "thread", COLUMN_INT, 6, true, false)          \
	ROW(S_LOCATION, "location", "location", COLUMN_TEXT, 0, true, false)   \
	ROW(S_EVENT, "event", "event", COLUMN_INT, 10, true, false)            \
	ROW(S_LAST_EVENT, "last_event", "last event", COLUMN_INT, 10, true, false)
enum { COLUMNS(COLUMN_ID) S_COLUMNS };
static const struct column columns[S_COLUMNS] = { COLUMNS(COLUMN_ROW) };

static const struct found_match *match_at(const struct list_table *list, uint32_t item)
{
	return list_table_row(list, item);
}

static struct value region_of(const struct trace *trace, uint32_t enter)
{
	return value_text(
		trace_region_name(trace,
				  trace_callpath_region(trace, trace_event_path(trace, enter))));
}

/* The cells that take no text, which sorting by numbers asks for alone. */
static void number_cells(const struct trace *trace, const struct found_match *s, struct value *v)
{
	const struct location *location = trace_location(trace, s->match.location);

	v[S_BEGIN] = value_integer(true, s->match.begin);
	v[S_DURATION] = value_integer(true, s->match.end - s->match.begin);
	v[S_RANK] = value_rank(location->rank);
	v[S_CALLS] = value_count(s->match.calls);
	v[S_THREAD] = value_integer(true, location->thread);
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct trace *trace = list->trace;
	const struct found_match *s = match_at(list, item);
	const struct callpath *path =
		trace_callpath(trace, trace_event_path(trace, s->match.first));
	const struct site *site = trace_site(trace, path->site);
	struct str *line, *text;

	number_cells(trace, s, v);
	if (list->sorting_by != COLUMN_NONE && !column_is_text(&list->columns[list->sorting_by]) &&
	    list->sorting_by < S_EVENT)
		return;
	line = list_table_text(list);
	text = list_table_text(list);
	words_source(trace, site->file, site->line, line);
	trace_callpath_text(trace, path->parent, text);
	v[S_FIRST] = region_of(trace, s->match.first);
	v[S_LAST] = region_of(trace, s->match.last);
	v[S_SOURCE] = value_text(line->text);
	v[S_CALLPATH] = value_text(text->text);
	v[S_LOCATION] = value_location(trace, s->match.location);
	v[S_EVENT] = value_event(trace, s->match.first);
	v[S_LAST_EVENT] = value_event(trace, s->match.last);
}

static struct row_thing thing(const struct list_table *list, uint32_t item)
{
	return (struct row_thing){ THING_EVENT, match_at(list, item)->match.first, 0 };
}

ORDERING(by_place, struct found_match, match.begin, place, match.first)

static bool fill(struct list_table *list, const struct query *q)
{
	found_matches matches = VEC_INIT;
	const struct found_match *s;
	const bool ok = matches_collect(q, &matches);

	vec_sort(&matches, by_place);
	vec_each (s, &matches)
		list_table_add_row(list, s);
	vec_fini(&matches);
	return ok;
}

/* In the order of by_place. */
static struct row_key key_of(const struct trace *trace, const struct found_match *s)
{
	return (struct row_key){ { s->match.begin, trace_location(trace, s->match.location)->rank,
				   s->match.location } };
}

/* Columns in which all rows would be empty, or equal, leave their room to the others. */
static void hide_columns(struct list_table *list, const struct query *query)
{
	const struct naming naming = query_naming(query);

	list->columns[S_RANK].on_screen = naming.ranks;
	list->columns[S_LOCATION].on_screen = naming.names;
}

static struct table *matches_table_new(const struct query *query)
{
	static const struct list_ops ops = { .cells = cells,
					     .thing = thing,
					     .row_size = sizeof(struct found_match) };
	struct list_table *list =
		list_table_new(sizeof *list, &ops, columns, S_COLUMNS, query->trace);
	struct exchange *x = trace_exchange(query->trace);
	struct table *table;

	hide_columns(list, query);
	list->table.sorted_by = S_BEGIN;
	table = list_table_done(list, fill(list, query));
	if (table && x) {
		OWNED struct row_key *keys = xcalloc(table->rows + 1, sizeof *keys);
		for (uint32_t i = 0; i < table->rows; i++)
			keys[i] = key_of(query->trace, match_at(list, i));
		return table_gather(table, x, keys);
	}
	return table;
}

struct table *sequences_table_new(const struct query *query, struct err *err)
{
	(void)err;
	return query->export.by_rank ? sequence_sums_table_new(query) : matches_table_new(query);
}
