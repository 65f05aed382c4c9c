/* The one order of all events, walked both ways, against a plain sort of everything. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"
#include "harness/owners.h"
#include "harness/sample.h"
#include "views/query/event_merge.h"

struct item {
	int64_t time;
	int32_t rank;
	uint64_t ordinal;
	uint32_t event;
};

ORDERING(compare, struct item, time, rank, ordinal)

/* Every event of the query, sorted: what the merge must walk. */
static struct item *plain(const struct query *query, size_t *n)
{
	struct item *items = xcalloc(trace_event_count(query->trace), sizeof *items);

	*n = 0;
	for (uint32_t i = 0; i < query_location_count(query); i++) {
		const uint32_t l = query_location(query, i);
		struct cursor c;
		for (bool ok = cursor_first(&c, query->trace, query->base, l); ok;
		     ok = cursor_next(&c)) {
			const int64_t t = cursor_time(&c);
			if (t >= query->t0 && t < query->t1)
				items[(*n)++] =
					(struct item){ t, trace_location(query->trace, l)->rank,
						       cursor_ordinal(&c), c.id };
		}
	}
	SORT(items, *n, compare);
	return items;
}

static void walk(const struct query *query)
{
	ENDED_BY(event_merge_fini) struct event_merge m = { 0 };
	size_t n, i = 0;
	OWNED struct item *items = plain(query, &n);

	event_merge_init(&m, query);
	assert_int_equal(m.events, n);
	for (bool ok = event_merge_first(&m); ok; ok = event_merge_next(&m), i++) {
		assert_int_equal(event_merge_event(&m), items[i].event);
		assert_int_equal(event_merge_path(&m),
				 trace_event_path(query->trace, items[i].event));
		assert_int_equal(event_merge_position(&m), i);
	}
	assert_int_equal(i, n);
	for (bool ok = event_merge_last(&m); ok; ok = event_merge_prev(&m)) {
		assert_int_equal(event_merge_event(&m), items[--i].event);
		assert_int_equal(event_merge_path(&m),
				 trace_event_path(query->trace, items[i].event));
		assert_int_equal(event_merge_position(&m), i);
	}
	assert_int_equal(i, 0);
}

TEST(walks_in_one_order)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		OWNED_TRACE *trace = sample_random(seed, 1 + (int)(seed % 7), 200);
		struct query query = sample_query(trace);
		const uint32_t chosen[] = { 0, trace_location_count(trace) - 1 };

		walk(&query);
		query.t0 = 40;
		query.t1 = 90;
		walk(&query);
		query.locations = chosen;
		query.n_locations = trace_location_count(trace) > 1 ? 2 : 1;
		walk(&query);
	}
}

/* A step, a jump or a seek, drawn at random, from event `at` of n; returns where that leads. */
static size_t move(struct event_merge *m, const struct item *items, size_t n, size_t at,
		   uint64_t draw)
{
	const size_t any = (size_t)(draw >> 20) % n;
	int64_t t;
	bool found;

	switch (draw >> 60) {
	case 0: assert_true(event_merge_go(m, items[any].event)); return any;
	case 1:
		t = items[any].time + (int64_t)(draw >> 50 & 1);
		found = event_merge_seek(m, t);
		for (at = 0; at < n && items[at].time < t;)
			at++;
		assert_int_equal(found, at < n);
		if (found)
			return at;
		assert_true(event_merge_last(m));
		return n - 1;
	case 2: /* close by */
		at = at + any % 16 < n ? at + any % 16 : n - 1;
		assert_true(event_merge_near(m, items[at].event));
		return at;
	default:
		if (draw >> 63 ? at + 1 == n : at == 0)
			return at;
		assert_true(draw >> 63 ? event_merge_next(m) : event_merge_prev(m));
		return draw >> 63 ? at + 1 : at - 1;
	}
}

static void roam(struct trace *trace, const struct query *query, int steps)
{
	ENDED_BY(event_merge_fini) struct event_merge m = { 0 };
	size_t n, at = 0;
	OWNED struct item *items = plain(query, &n);
	uint64_t seed = 9;

	event_merge_init(&m, query);
	assert_int_equal(m.events, n);
	assert_int_equal(event_merge_first(&m), n > 0);
	for (int step = 0; n > 0 && step < steps; step++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		at = move(&m, items, n, at, seed);
		assert_int_equal(event_merge_event(&m), items[at].event);
		assert_int_equal(event_merge_position(&m), at);
		assert_int_equal(event_merge_path(&m), trace_event_path(trace, items[at].event));
	}
}

TEST(turns_round_anywhere)
{
	for (int ranks = 1; ranks <= 300; ranks = ranks * 2 + ranks / 3) {
		OWNED_TRACE *trace = sample_random((uint64_t)ranks, ranks, 150);
		struct query query = sample_query(trace);

		roam(trace, &query, 4000);
		query.t0 = 30;
		query.t1 = 80;
		roam(trace, &query, 2000);
	}
}

/* Walks of a long way on and back, among as many locations as a walk to an event close by skips. */
TEST(walks_among_many)
{
	for (int ranks = 30; ranks <= 300; ranks += 90) {
		OWNED_TRACE *trace = sample_random((uint64_t)ranks, ranks, 60);
		struct query query = sample_query(trace);

		walk(&query);
		query.t0 = 10;
		query.t1 = 45;
		walk(&query);
	}
}

/* From every event the walk goes both ways, and far jumps land where near ones do. */
TEST(starts_anywhere)
{
	OWNED_TRACE *trace = sample_random(8, 300, 8);
	const struct query query = sample_query(trace);
	ENDED_BY(event_merge_fini) struct event_merge m = { 0 };
	size_t n;
	OWNED struct item *items = plain(&query, &n);

	event_merge_init(&m, &query);
	for (size_t i = 0; i < n; i++) {
		const size_t at = i * 7919 % n;
		assert_true(event_merge_go(&m, items[at].event));
		for (size_t back = at; back-- > 0 && back + 5 > at;) {
			assert_true(event_merge_prev(&m));
			assert_int_equal(event_merge_event(&m), items[back].event);
		}
		assert_true(event_merge_go(&m, items[at].event));
		for (size_t on = at + 1; on < n && on < at + 5; on++) {
			assert_true(event_merge_next(&m));
			assert_int_equal(event_merge_event(&m), items[on].event);
			assert_int_equal(event_merge_position(&m), on);
		}
	}
}

/* Places looked up together against a count of everything. */
TEST(places_are_those_of_a_count)
{
	OWNED_TRACE *trace = sample_random(4, 77, 400);
	const uint32_t n = trace_location_count(trace);
	const enum time_base base = trace_default_base(trace);
	OWNED uint32_t *locations = xcalloc(n, sizeof *locations);
	OWNED uint64_t *counts = xcalloc(n, sizeof *counts);
	OWNED int64_t *times = xcalloc(n, sizeof *times);

	for (uint32_t i = 0; i < n; i++)
		locations[i] = i;
	for (int64_t t = -1; t < 500; t += 3) {
		trace_events_before(trace, base, locations, n, t, counts);
		for (uint32_t i = 0; i < n; i++) {
			struct cursor c;
			uint64_t before = 0;
			for (bool ok = cursor_first(&c, trace, base, i); ok && cursor_time(&c) < t;
			     ok = cursor_next(&c))
				before++;
			assert_int_equal(counts[i], before);
			counts[i] = before ? before - 1 : NTH_NONE;
			times[i] = -7;
		}
		trace_nth_times(trace, base, locations, counts, n, times);
		for (uint32_t i = 0; i < n; i++) {
			struct cursor c;
			if (counts[i] == NTH_NONE) {
				assert_int_equal(times[i], -7);
				continue;
			}
			assert_true(cursor_nth(&c, trace, base, i, counts[i]));
			assert_int_equal(times[i], cursor_time(&c));
		}
	}
}

TEST(the_event_list_filters)
{
	OWNED_TRACE *trace = sample_random(3, 4, 200);
	struct query query = sample_query(trace);
	FREED_BY(filter_free)
	struct filter *filter = filter_compile("kind == send && rank in 1..2", trace, NULL);
	struct table *table;
	size_t n, shown = 0;
	OWNED struct item *items = plain(&query, &n);
	uint64_t row;

	query.filter = filter;
	table = events_table_new(&query, NULL);
	row = table_first(table);
	for (size_t i = 0; i < n; i++) {
		if (!filter_event(filter, query.base, items[i].event)) {
			assert_true(events_table_row(table, items[i].event) == ROW_NONE);
			continue;
		}
		assert_int_equal(table_thing(table, row).id, items[i].event);
		assert_true(events_table_row(table, items[i].event) == row);
		row = table_next(table, row);
		shown++;
	}
	assert_true(row == ROW_NONE);
	assert_true(shown > 0);
	row = table->ops->last(table);
	for (size_t i = n; i-- > 0;)
		if (filter_event(filter, query.base, items[i].event)) {
			assert_int_equal(table_thing(table, row).id, items[i].event);
			row = table->ops->prev(table, row);
		}
	assert_true(row == ROW_NONE);
	table_free(table);
}
