/* What follows from what is selected, on a run that is worked out by hand. Ticks are nanoseconds:
 *
 *	rank 0	compute 10-30, send 30-40, compute 40-90, barrier 90-120
 *	rank 1	receive 5-45: 25 too early; compute 45-60, barrier 60-120: waits 40 for rank 2
 *	rank 2	compute 2-12, barrier 100-120: the last */
#include "ui/session/selection.h"

#include <string.h>

#include "harness/notation.h"
#include "harness/test.h"
#include "model/trace/message.h"
#include "patterns/severity/cube_metric.h"
#include "ui/session/session.h"
#include "views/query/analyses.h"

static const char run[] =
	"ranks 3\n"
	"region compute file a.c line 7\n"
	"region main file m.c line 1\n"
	"region MPI_Barrier class sync\n"
	"rank 0: main@0 { compute:3@10-30 MPI_Send@30-40 ->1 tag 7 100B compute:4@40-90 "
	"MPI_Barrier@90-120 all } @130\n"
	"rank 1: main@0 { MPI_Recv@5-45 <-0 tag 7, compute:4@45-60 MPI_Barrier@60-120 all } @130\n"
	"rank 2: main@0 { compute:3@2-12 MPI_Barrier@100-120 all } @130\n";

static int open_session(void **state)
{
	static struct session session;
	struct err err = ERR_INIT;

	session_init(&session, notation_trace(run), BASE_MEASURED);
	assert_non_null(analyses_get(session.analyses, BASE_MEASURED, NULL, &err));
	*state = &session;
	return 0;
}

static int close_session(void **state)
{
	session_fini(*state);
	return 0;
}

FIXTURE(open_session, close_session)

static struct selection made_of(const struct session *s, struct row_thing thing)
{
	const struct query query = session_query(s);
	struct selection selection = SELECTION_NONE;

	selection_of_thing(&selection, &query, thing);
	selection_complete(&selection, &query);
	return selection;
}

static const char *region(const struct session *s, const struct selection *selection)
{
	return selection->region == UINT32_MAX ? ""
					       : trace_region_name(s->trace, selection->region);
}

static uint32_t region_id(const struct session *s, const char *name)
{
	for (uint32_t r = 0; r < trace_region_count(s->trace); r++)
		if (strcmp(trace_region_name(s->trace, r), name) == 0)
			return r;
	fail_msg("no region %s", name);
	return 0;
}

/* The enter of a region at a time. */
static uint32_t entered(const struct session *s, uint32_t location, int64_t t)
{
	struct cursor c;

	assert_true(cursor_seek(&c, s->trace, BASE_MEASURED, location, t));
	while (what_kind(cursor_what(&c)) != EV_ENTER)
		assert_true(cursor_next(&c));
	assert_int_equal(cursor_time(&c), t);
	return c.id;
}

TEST_WITH(of_a_message, struct session *s)
{
	const struct selection m = made_of(s, (struct row_thing){ THING_MESSAGE, 0, 0 });

	assert_int_equal(m.event, trace_message(s->trace, 0)->send);
	assert_int_equal(m.location, 0);
	assert_string_equal(region(s, &m), "MPI_Send");
	assert_int_equal(m.collective, UINT32_MAX);
	assert_int_equal(m.wait, UINT32_MAX); /* a send that nobody keeps */
}

TEST_WITH(of_a_wait, struct session *s)
{
	const struct selection w = made_of(s, (struct row_thing){ THING_WAIT, 0, 1 });

	assert_int_equal(w.metric, CUBE_MPI_LATESENDER);
	assert_int_equal(w.location, 1);
	assert_string_equal(region(s, &w), "MPI_Recv");
	assert_int_equal(w.message, 0);
}

TEST_WITH(of_a_collective, struct session *s)
{
	const struct selection c = made_of(s, (struct row_thing){ THING_COLLECTIVE, 0, 0 });

	assert_int_equal(c.location, 2); /* for which the others waited */
	assert_int_equal(trace_event_time(s->trace, BASE_MEASURED, c.event), 100);
	assert_string_equal(region(s, &c), "MPI_Barrier");
}

TEST_WITH(of_the_event_that_enters_a_call, struct session *s)
{
	const struct selection recv =
		made_of(s, (struct row_thing){ THING_EVENT, entered(s, 1, 5), 0 });
	const struct selection barrier =
		made_of(s, (struct row_thing){ THING_EVENT, entered(s, 1, 60), 0 });
	const struct selection compute =
		made_of(s, (struct row_thing){ THING_EVENT, entered(s, 0, 10), 0 });

	assert_int_equal(recv.message, 0);
	assert_int_equal(recv.metric, CUBE_MPI_LATESENDER);
	assert_int_equal(barrier.collective, 0);
	assert_int_equal(barrier.message, UINT32_MAX);
	assert_int_equal(barrier.metric, CUBE_MPI_BARRIER_WAIT);
	assert_string_equal(region(s, &compute), "compute");
	assert_int_equal(compute.message, UINT32_MAX);
	assert_int_equal(compute.metric, CUBE_NONE);
}

static int64_t longest(const struct session *s, const struct selection *selection,
		       const struct query *query)
{
	const uint32_t event = selection_event(selection, query);

	return event == EVENT_NONE ? -1 : trace_event_time(s->trace, BASE_MEASURED, event);
}

TEST_WITH(the_longest_visit, struct session *s)
{
	struct selection c =
		made_of(s, (struct row_thing){ THING_REGION, region_id(s, "compute"), 0 });
	struct query query = session_query(s);
	const uint32_t one[] = { 1 };

	assert_int_equal(longest(s, &c, &query), 40);
	query.t0 = 0; /* what is in sight of it counts: 20 of the first, 15 of the second */
	query.t1 = 55;
	assert_int_equal(longest(s, &c, &query), 10);
	query.t1 = 35;
	query.locations = one; /* it does not compute yet */
	query.n_locations = 1;
	assert_int_equal(longest(s, &c, &query), -1);
	query = session_query(s);
	c.location = 2;
	assert_int_equal(longest(s, &c, &query), 2);
	/* Those at a.c:3 alone. */
	c = (struct selection)SELECTION_NONE;
	c.path = trace_callpath(s->trace, trace_event_path(s->trace, entered(s, 2, 2)))->canon;
	assert_int_equal(longest(s, &c, &query), 10);
}

TEST_WITH(the_longest_wait, struct session *s)
{
	struct query query = session_query(s);
	struct selection w = SELECTION_NONE;

	w.metric = CUBE_MPI_BARRIER_WAIT;
	/* 40 of rank 1, 10 of rank 0; found at their ends. */
	assert_int_equal(trace_event_location(s->trace, selection_event(&w, &query)), 1);
	w.location = 0;
	assert_int_equal(trace_event_location(s->trace, selection_event(&w, &query)), 0);
	w.location = 2;
	assert_int_equal(selection_event(&w, &query), EVENT_NONE);
}

TEST_WITH(a_view_that_is_there_already, struct session *s)
{
	const struct query query = session_query(s);
	const struct selection c =
		made_of(s, (struct row_thing){ THING_REGION, region_id(s, "compute"), 0 });
	const struct selection w = made_of(s, (struct row_thing){ THING_WAIT, 0, 1 });
	const struct selection m = made_of(s, (struct row_thing){ THING_MESSAGE, 0, 0 });

	assert_true(selection_holds(&c, &query, 1, 50, EVENT_NONE));
	assert_true(selection_holds(&c, &query, 0, 10, entered(s, 0, 10)));
	assert_false(selection_holds(&c, &query, 1, 20, EVENT_NONE));
	assert_true(selection_holds(&w, &query, 1, 45, trace_message(s->trace, 0)->recv));
	assert_false(selection_holds(&w, &query, 0, 30, trace_message(s->trace, 0)->send));
	/* A message is at both of its ends. */
	assert_true(selection_holds(&m, &query, 1, 45, trace_message(s->trace, 0)->recv));
	assert_false(selection_holds(&m, &query, 1, 60, entered(s, 1, 60)));
}

TEST_WITH(what_is_explained, struct session *s)
{
	const struct query query = session_query(s);
	const struct selection c =
		made_of(s, (struct row_thing){ THING_REGION, region_id(s, "compute"), 0 });
	const struct selection w = made_of(s, (struct row_thing){ THING_WAIT, 0, 1 });
	const struct selection none = SELECTION_NONE;
	struct explain_subject subject;

	assert_true(selection_subject(&c, &query, &subject));
	assert_int_equal(subject.enter, entered(s, 0, 40));
	assert_true(selection_subject(&w, &query, &subject));
	assert_int_equal(subject.location, 1);
	assert_int_equal(subject.wait, 0);
	assert_false(selection_subject(&none, &query, &subject));
}

static void expect_line(const struct session *s, const struct selection *selection,
			const char *file, uint32_t line, const char *caller)
{
	struct source_place place;
	uint32_t path;

	assert_true(selection_source(selection, s->trace, &place, &path));
	assert_string_equal(trace_string(s->trace, place.file), file);
	assert_int_equal(place.line, line);
	if (!caller)
		assert_int_equal(path, UINT32_MAX);
	else
		assert_string_equal(trace_region_name(s->trace,
						      trace_callpath_region(s->trace, path)),
				    caller);
}

TEST_WITH(a_line_or_that_of_the_caller, struct session *s)
{
	const struct selection c =
		made_of(s, (struct row_thing){ THING_REGION, region_id(s, "compute"), 0 });
	const struct selection call =
		made_of(s, (struct row_thing){ THING_EVENT, entered(s, 2, 2), 0 });
	const struct selection m = made_of(s, (struct row_thing){ THING_MESSAGE, 0, 0 });
	const struct selection r =
		made_of(s, (struct row_thing){ THING_REGION, region_id(s, "MPI_Barrier"), 0 });

	expect_line(s, &c, "a.c", 7, NULL);
	expect_line(s, &call, "app.c", 3, NULL);
	expect_line(s, &m, "m.c", 1, "main");
	expect_line(s, &r, "m.c", 1, "main");
}

TEST_WITH(statements_are_calls, struct session *s)
{
	const struct query query = session_query(s);
	struct err err = ERR_INIT;
	const struct graph *graph = session_graph(s, &err);
	const struct selection call =
		made_of(s, (struct row_thing){ THING_EVENT, entered(s, 0, 40), 0 });
	struct selection back = SELECTION_NONE;
	const uint32_t node = selection_node(&call, s->trace, graph);

	assert_string_equal(graph_name(graph, node), "compute");
	selection_of_node(&back, &query, graph, node);
	assert_string_equal(region(s, &back), "compute");
	assert_int_equal(selection_node(&back, s->trace, graph), node);
}
