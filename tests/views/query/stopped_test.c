/* Queries that are stopped on the way: nothing comes of them, and nothing stays of them. */
#include <stdlib.h>
#include <string.h>

#include "harness/patience.h"
#include "harness/test.h"
#include "model/formats/load.h"
#include "ui/timeline/panel/timeline_follow.h"
#include "views/facts/overview_facts.h"
#include "views/facts/timeline_shade.h"
#include "views/query/view.h"

struct stopper {
	atomic_int steps; /* that are granted; below 0: it was stopped */
	struct progress progress;
};

/* For one thread: of several the first, whose steps are counted, may have come too late for any. */
static struct trace *load(void)
{
	const struct load_options options = { .no_cache = true, .jobs = 1 };
	struct err err = ERR_INIT;
	struct trace *trace = trace_load("traces/sweep.trc", &options, NULL, &err);

	assert_non_null(trace);
	assert_true(trace_base_make(trace, trace_default_base(trace), NULL, &err));
	return trace;
}

/* `stopper` may be NULL. */
static struct query query_of(struct trace *trace, struct stopper *stopper)
{
	struct query query = {
		.trace = trace, .base = trace_default_base(trace), .t0 = INT64_MIN, .t1 = INT64_MAX
	};

	if (stopper) {
		stopper->progress = patience(&stopper->steps);
		query.progress = &stopper->progress;
	}
	return query;
}

/* Stopped after 0, 1, 2, ... steps: NULL without an error, until there are steps enough. */
TEST(tables_are_whole_or_none)
{
	OWNED_TRACE *trace = load();
	bool whole = false;
	int tries = 0;

	for (; !whole && tries < 1000; tries++) {
		struct stopper stopper = { .steps = tries };
		const struct query query = query_of(trace, &stopper);
		struct err err = ERR_INIT;
		struct table *table = profile_table_new(&query, &err);

		whole = stopper.steps >= 0;
		assert_false(err_is_set(&err));
		assert_int_equal(table != NULL, whole);
		table_free(table);
	}
	assert_in_range(tries, 2, 999);
}

TEST(tables_of_messages_are_whole_or_none)
{
	static struct table *(*const make[])(const struct query *query, struct err *err) = {
		messages_table_new, collectives_table_new, matrix_table_new, histograms_table_new
	};
	OWNED_TRACE *trace = load();

	for (size_t i = 0; i < sizeof make / sizeof *make; i++) {
		struct stopper stopper = { .steps = 0 };
		const struct query query = query_of(trace, &stopper);
		struct err err = ERR_INIT;
		struct table *table;

		assert_null(make[i](&query, &err));
		assert_false(err_is_set(&err));
		stopper.steps = 1000000;
		table = make[i](&query, &err);
		assert_non_null(table);
		table_free(table);
	}
}

TEST(a_stopped_overview_is_not_kept)
{
	OWNED_TRACE *trace = load(), *other = load();
	struct stopper stopper = { .steps = 3 };
	const struct query stopped = query_of(trace, &stopper), query = query_of(trace, NULL),
			   alone = query_of(other, NULL);
	struct overview_facts facts, expected;

	overview_facts_make(&facts, &stopped);
	assert_true(stopper.steps < 0);
	overview_facts_make(&facts, &query);
	overview_facts_make(&expected, &alone);
	assert_int_equal(facts.events, expected.events);
	assert_int_equal(facts.messages, expected.messages);
	assert_int_equal(facts.top_location_time, expected.top_location_time);
}

TEST(a_stopped_shading_is_made_again)
{
	OWNED_TRACE *trace = load();
	struct stopper stopper = { .steps = 1 };
	const struct query stopped = query_of(trace, &stopper), query = query_of(trace, NULL);
	struct timeline_shades *shades = timeline_shades_new();
	struct err err = ERR_INIT;

	assert_null(timeline_shades_get(shades, &stopped, 2, &err));
	assert_false(err_is_set(&err));
	assert_non_null(timeline_shades_get(shades, &query, 2, &err));
	timeline_shades_free(shades);
}

/* A search that a key stops is no search without a hit. */
TEST(a_stopped_search_says_nothing)
{
	struct stopper stopper = { .steps = 0 };
	struct timeline_search search = { 0 };
	struct trace *trace = load();
	struct session session;
	struct err err = ERR_INIT;

	session_init(&session, trace, trace_default_base(trace));
	assert_false(timeline_search_go(&search, &session, "nothing_like_it", 0, &err));
	assert_int_equal(err.status, STATUS_NO);
	stopper.progress = patience(&stopper.steps);
	session.progress = &stopper.progress;
	assert_true(timeline_search_go(&search, &session, "nothing_like_it", 0, &err));
	session.progress = NULL;
	timeline_search_fini(&search);
	session_fini(&session);
}
