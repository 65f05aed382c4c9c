/* The one order of all events, walked both ways, against a plain sort of everything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "ui/event_merge.h"
#include "ui/sample.h"

struct item {
	int64_t time;
	int32_t rank;
	uint64_t ordinal;
	uint32_t event;
};

static int compare(const void *pa, const void *pb)
{
	const struct item *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->ordinal < b->ordinal ? -1 : 1;
}

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
	qsort(items, *n, sizeof *items, compare);
	return items;
}

static void walk(const struct query *query)
{
	struct event_merge m;
	size_t n, i = 0;
	struct item *items = plain(query, &n);

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
	event_merge_fini(&m);
	free(items);
}

static void walks_in_one_order(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct trace *trace = sample_random(seed, 1 + (int)(seed % 7), 200);
		struct query query = sample_query(trace);
		const uint32_t chosen[] = { 0, trace_location_count(trace) - 1 };

		walk(&query);
		query.t0 = 40;
		query.t1 = 90;
		walk(&query);
		query.locations = chosen;
		query.n_locations = trace_location_count(trace) > 1 ? 2 : 1;
		walk(&query);
		trace_free(trace);
	}
}

/* Steps to and fro, jumps and seeks, at random. */
static void turns_round_anywhere(void **state)
{
	struct trace *trace = sample_random(5, 6, 150);
	const struct query query = sample_query(trace);
	struct event_merge m;
	size_t n, at = 0;
	struct item *items = plain(&query, &n);
	uint64_t seed = 9;

	(void)state;
	event_merge_init(&m, &query);
	assert_true(event_merge_first(&m));
	for (int step = 0; step < 20000; step++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		switch (seed >> 60) {
		case 0:
			at = (size_t)(seed >> 20) % n;
			assert_true(event_merge_go(&m, items[at].event));
			break;
		case 1: {
			const int64_t t = (int64_t)((seed >> 20) % 200);
			const bool any = event_merge_seek(&m, t);
			for (at = 0; at < n && items[at].time < t;)
				at++;
			assert_int_equal(any, at < n);
			if (!any) {
				at = n - 1;
				assert_true(event_merge_last(&m));
			}
			break;
		}
		default:
			if (seed >> 63 && at + 1 < n) {
				at++;
				assert_true(event_merge_next(&m));
			} else if (!(seed >> 63) && at > 0) {
				at--;
				assert_true(event_merge_prev(&m));
			}
		}
		assert_int_equal(event_merge_event(&m), items[at].event);
		assert_int_equal(event_merge_position(&m), at);
		assert_int_equal(event_merge_path(&m), trace_event_path(trace, items[at].event));
	}
	event_merge_fini(&m);
	free(items);
	trace_free(trace);
}

static void the_event_list_filters(void **state)
{
	struct trace *trace = sample_random(3, 4, 200);
	struct query query = sample_query(trace);
	struct filter *filter = filter_compile("kind == send && rank in 1..2", trace, NULL);
	struct table *table;
	size_t n, shown = 0;
	struct item *items = plain(&query, &n);
	uint64_t row;

	(void)state;
	query.filter = filter;
	table = events_table_new(&query, NULL);
	row = table_first(table);
	for (size_t i = 0; i < n; i++) {
		if (!filter_event(filter, query.base, items[i].event)) {
			assert_true(events_table_row(table, items[i].event) == ROW_NONE);
			continue;
		}
		assert_int_equal(events_table_event(table, row), items[i].event);
		assert_true(events_table_row(table, items[i].event) == row);
		row = table_next(table, row);
		shown++;
	}
	assert_true(row == ROW_NONE);
	assert_true(shown > 0);
	row = table->ops->last(table);
	for (size_t i = n; i-- > 0;)
		if (filter_event(filter, query.base, items[i].event)) {
			assert_int_equal(events_table_event(table, row), items[i].event);
			row = table->ops->prev(table, row);
		}
	assert_true(row == ROW_NONE);
	table_free(table);
	filter_free(filter);
	free(items);
	trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walks_in_one_order),
		cmocka_unit_test(turns_round_anywhere),
		cmocka_unit_test(the_event_list_filters),
	};

	return cmocka_run_group_tests_name("event_merge", tests, NULL, NULL);
}
