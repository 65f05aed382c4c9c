/* Matches of a sequence by rank: how many, how many calls they have, how long they take. */
#include "views/facts/match_search.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"
#include "views/tables/view_sequences.h"

#define COLUMNS(ROW)                                                      \
	ROW(S_RANK, "rank", "rank", COLUMN_RANK, 5, true, true)           \
	ROW(S_MATCHES, "matches", "matches", COLUMN_COUNT, 9, true, true) \
	ROW(S_CALLS, "calls", "calls", COLUMN_COUNT, 10, true, true)      \
	ROW(S_TIME, "time_s", "time", COLUMN_DURATION, 10, true, true)    \
	ROW(S_SHARE, "share", "share", COLUMN_SHARE, 8, true, true)       \
	ROW(S_MIN, "min_s", "min", COLUMN_DURATION, 10, true, true)       \
	ROW(S_MEAN, "mean_s", "mean", COLUMN_DURATION, 10, true, true)    \
	ROW(S_MAX, "max_s", "max", COLUMN_DURATION, 10, true, true)       \
	ROW(S_LOCATION, "location", "location", COLUMN_TEXT, 0, true, false)
enum { COLUMNS(COLUMN_ID) S_COLUMNS };
static const struct column columns[S_COLUMNS] = { COLUMNS(COLUMN_ROW) };

/* Matches of one location neither overlap nor, unless calls in calls are among them, do their
 * times. */
struct sums {
	uint32_t location;
	int32_t rank;
	uint64_t matches, calls;
	int64_t time, min, max; /* ticks */
	double inside, all;     /* of them in the window; that the location has there */
};

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct sums *s = list_table_row(list, item);
	const bool any = s->matches > 0;

	v[S_RANK] = value_rank(s->rank);
	v[S_MATCHES] = value_count(s->matches);
	v[S_CALLS] = value_count(s->calls);
	v[S_TIME] = value_integer(true, s->time);
	v[S_SHARE] = value_real(s->all > 0, s->inside / s->all);
	v[S_MIN] = value_integer(any, s->min);
	v[S_MEAN] = value_duration(any, (double)s->time / (double)s->matches);
	v[S_MAX] = value_integer(any, s->max);
	v[S_LOCATION] = value_location(list->trace, s->location);
}

static struct row_thing thing(const struct list_table *list, uint32_t item)
{
	const struct sums *s = list_table_row(list, item);

	return (struct row_thing){ THING_LOCATION, s->location, 0 };
}

/* As one process lists them. */
static int32_t place_of(const void *row)
{
	return (int32_t)((const struct sums *)row)->location;
}

/* It begins in the window. */
static void add(struct sums *s, const struct sequence_match *match, int64_t window_end)
{
	const int64_t took = match->end - match->begin;

	s->min = s->matches && s->min < took ? s->min : took;
	s->max = s->matches && s->max > took ? s->max : took;
	s->matches++;
	s->calls += match->calls;
	s->time += took;
	s->inside += (double)((match->end < window_end ? match->end : window_end) - match->begin);
}

static bool fill(struct list_table *list, const struct query *query)
{
	OWNED uint32_t *row_of = xcalloc(trace_location_count(query->trace), sizeof *row_of);
	found_matches matches = VEC_INIT;
	const struct found_match *found;
	const bool ok = matches_collect(query, &matches);
	int64_t t0, t1;

	query_span(query, &t0, &t1);
	for (uint32_t i = 0; ok && i < query_location_count(query); i++) {
		const uint32_t id = query_location(query, i);
		const struct location *location = trace_location(query->trace, id);
		struct cursor c;
		if (!cursor_first(&c, query->trace, query->base, id) ||
		    !filter_location(query->filter, id))
			continue;
		row_of[id] = (uint32_t)list_table_row_count(list);
		list_table_add_row(list, &(struct sums){ .location = id,
							 .rank = location->rank,
							 .all = (double)(t1 - t0) });
	}
	vec_each (found, &matches)
		add(list_table_row(list, row_of[found->match.location]), &found->match, t1);
	vec_fini(&matches);
	list_table_share(list, trace_exchange(query->trace), place_of);
	return ok;
}

struct table *sequence_sums_table_new(const struct query *query)
{
	static const struct list_ops ops = { .cells = cells,
					     .thing = thing,
					     .row_size = sizeof(struct sums) };
	struct list_table *list =
		list_table_new(sizeof *list, &ops, columns, S_COLUMNS, query->trace);
	const struct naming naming = query_naming(query);

	list->columns[S_RANK].on_screen = naming.ranks;
	list->columns[S_LOCATION].on_screen = naming.names;
	list->table.second = S_LOCATION;
	return list_table_done(list, fill(list, query));
}
