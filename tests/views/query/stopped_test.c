/* Queries that are stopped on the way: nothing comes of them, and nothing stays of them. */
#include <stdlib.h>
#include <string.h>

#include "harness/load_trace.h"
#include "harness/test.h"
#include "ui/timeline/panel/timeline_follow.h"
#include "views/facts/overview_facts.h"
#include "views/facts/timeline_shade.h"
#include "views/query/view.h"

struct stopper {
	int steps; /* that are granted */
	bool stopped;
	struct progress progress; /* that it is */
};

static bool step(void *context, const char *what, uint64_t done, uint64_t all)
{
	struct stopper *s = context;

	(void)what;
	(void)done;
	(void)all;
	if (s->steps-- <= 0)
		s->stopped = true;
	return !s->stopped;
}

static struct trace *load(void)
{
	struct err err = ERR_INIT;
	struct trace *trace = load_trace("traces/sweep.trc");

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
		stopper->progress = (struct progress){ .step = step, .context = stopper };
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

		whole = !stopper.stopped;
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
		stopper.stopped = false;
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
	assert_true(stopper.stopped);
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
	stopper.progress = (struct progress){ .step = step, .context = &stopper };
	session.progress = &stopper.progress;
	assert_true(timeline_search_go(&search, &session, "nothing_like_it", 0, &err));
	session.progress = NULL;
	timeline_search_fini(&search);
	session_fini(&session);
}
