/* From view to view: what is under the cursor of one, and where each of the others lands. Two ranks
 * twice do the same; ticks are nanoseconds, and all views are of the whole run:
 *
 *	rank 0	compute 10-30, send 30-40, compute 40-90, barrier 90-120
 *	rank 1	receive 5-45: 25 too early; compute 45-60, barrier 60-120 */
#include <stdio.h>
#include <string.h>

#include "harness/notation.h"
#include "harness/test.h"
#include "model/trace/message.h"
#include "patterns/severity/cube_metric.h"
#include "ui/panels/panels.h"
#include "views/query/analyses.h"

static const char run[] =
	"ranks 2\n"
	"region compute file a.c line 7\n"
	"region main file m.c line 1\n"
	"region MPI_Barrier class sync\n"
	"rank 0: main@0 { compute@10-30 MPI_Send@30-40 ->1 tag 7 100B compute@40-90 "
	"MPI_Barrier@90-120 all } @130\n"
	"rank 1: main@0 { MPI_Recv@5-45 <-0 tag 7, compute@45-60 MPI_Barrier@60-120 all } @130\n";

enum { W = 120, H = 36 };

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

static void bring_up(struct panel *panel)
{
	panel->area = (struct rect){ 0, 0, W, H };
	panel->ops->requery(panel);
}

/* What is under the cursor, in words: "rank 1 MPI_Recv 45 message mpi_latesender". */
static void name(const struct session *s, const struct selection *selection, char *text, size_t n)
{
	OWNED_STR out = STR_INIT;

	if (selection->location != UINT32_MAX)
		str_add_fmt(&out, " rank %u", selection->location);
	if (selection->region != UINT32_MAX)
		str_add_fmt(&out, " %s", trace_region_name(s->trace, selection->region));
	if (selection->event != EVENT_NONE)
		str_add_fmt(&out, " %d",
			    (int)trace_event_time(s->trace, s->base, selection->event));
	if (selection->message != UINT32_MAX)
		str_add(&out, " message");
	if (selection->collective != UINT32_MAX)
		str_add(&out, " collective");
	if (selection->metric != CUBE_NONE)
		str_add_fmt(&out, " %s",
			    cube_metric_info((enum cube_metric)selection->metric)->name);
	snprintf(text, n, "%s", out.n ? out.text + 1 : "");
}

/* As the application does it: what the panel knows of its cursor, completed or not. */
static void expect_chosen(struct session *s, struct panel *panel, bool complete, const char *what)
{
	struct selection selection = SELECTION_NONE;
	char text[128];

	panel->ops->chosen(panel, &selection);
	if (complete) {
		const struct query query = session_query(s);
		selection_complete(&selection, &query);
		session_select(s, &selection);
	} else if (selection.region == UINT32_MAX && selection.path != UINT32_MAX &&
		   selection.path) {
		selection.region = trace_callpath_region(s->trace, selection.path);
	}
	name(s, &selection, text, sizeof text);
	assert_string_equal(text, what);
}

/* A view lands on the session's selection; what it then knows of its cursor. */
static void expect_landing(struct session *s, const struct panel_ops *ops, const char *what)
{
	struct panel *panel = panel_new(ops, s);
	const struct session_cursor before = s->cursor;

	bring_up(panel);
	assert_true(ops->land(panel, &s->chosen));
	bring_up(panel);
	expect_chosen(s, panel, false, what);
	panel_free(panel);
	s->cursor = before; /* each view lands from where the cursor was */
}

/* The same in all three trees, of which the last one tells of all. */
static void expect_patterns(struct session *s, const char *what)
{
	struct panel *panel = panel_new(&patterns_panel_ops, s);

	bring_up(panel);
	assert_true(panel->ops->land(panel, &s->chosen));
	bring_up(panel);
	panel->ops->act(panel, ACTION_PREV_PANE, 1);
	expect_chosen(s, panel, false, what);
	panel_free(panel);
}

/* The cursor of all views in a corner where nothing is. */
static void leave_cursor(struct session *s)
{
	session_set_cursor(s, 0, 3, EVENT_NONE);
}

TEST_WITH(from_an_event, struct session *s)
{
	struct panel *events = panel_new(&events_panel_ops, s);

	session_go_event(s, trace_message(s->trace, 0)->recv);
	bring_up(events);
	expect_chosen(s, events, true, "rank 1 MPI_Recv 45 message mpi_latesender");
	panel_free(events);
	leave_cursor(s);
	expect_landing(s, &timeline_panel_ops, "rank 1 MPI_Recv 5 message");
	expect_landing(s, &events_panel_ops, "45");
	expect_landing(s, &profile_panel_ops, "MPI_Recv");
	expect_landing(s, &graph_panel_ops, "MPI_Recv");
	expect_patterns(s, "rank 1 MPI_Recv mpi_latesender");
	expect_landing(s, &topology_panel_ops, "rank 1");
	expect_landing(s, &messages_panel_ops, "message");
}

TEST_WITH(from_a_visit_in_the_timeline, struct session *s)
{
	struct panel *timeline = panel_new(&timeline_panel_ops, s);

	session_set_cursor(s, 1, 80, EVENT_NONE);
	bring_up(timeline);
	expect_chosen(s, timeline, true, "rank 1 MPI_Barrier 60 collective mpi_barrier_wait");
	panel_free(timeline);
	leave_cursor(s);
	/* The list of events begins where the visit does, on its rank. */
	expect_landing(s, &events_panel_ops, "60");
	expect_landing(s, &profile_panel_ops, "MPI_Barrier");
	expect_landing(s, &graph_panel_ops, "MPI_Barrier");
	expect_patterns(s, "rank 1 MPI_Barrier mpi_barrier_wait");
	expect_landing(s, &topology_panel_ops, "rank 1");
	expect_landing(s, &messages_panel_ops, "collective");
}

TEST_WITH(from_a_region, struct session *s)
{
	struct panel *profile = panel_new(&profile_panel_ops, s);

	bring_up(profile);
	assert_true(profile->ops->search(profile, "compute", 0, NULL));
	expect_chosen(s, profile, true, "compute");
	panel_free(profile);
	leave_cursor(s);
	/* The longest visit of all is that from 40 to 90. */
	expect_landing(s, &timeline_panel_ops, "rank 0 compute 40");
	expect_landing(s, &events_panel_ops, "40");
	expect_landing(s, &profile_panel_ops, "compute");
	expect_landing(s, &graph_panel_ops, "compute");
	/* A view that is in one already stays there. */
	session_set_cursor(s, 1, 50, EVENT_NONE);
	expect_landing(s, &timeline_panel_ops, "rank 1 compute 45");
}

TEST_WITH(from_a_message, struct session *s)
{
	struct panel *messages = panel_new(&messages_panel_ops, s);

	bring_up(messages);
	messages->ops->act(messages, ACTION_NEXT_PANE, 1);
	expect_chosen(s, messages, true, "rank 0 MPI_Send 30 message");
	panel_free(messages);
	leave_cursor(s);
	expect_landing(s, &timeline_panel_ops, "rank 0 MPI_Send 30 message");
	expect_landing(s, &events_panel_ops, "30");
	expect_landing(s, &profile_panel_ops, "MPI_Send");
	expect_landing(s, &graph_panel_ops, "MPI_Send");
	expect_landing(s, &topology_panel_ops, "rank 0");
	/* Its receive is as good as its send. */
	session_go_event(s, trace_message(s->trace, 0)->recv);
	expect_landing(s, &timeline_panel_ops, "rank 1 MPI_Recv 45 message");
}

TEST_WITH(from_a_collective, struct session *s)
{
	struct panel *messages = panel_new(&messages_panel_ops, s);

	bring_up(messages);
	messages->ops->act(messages, ACTION_NEXT_PANE, 1);
	messages->ops->act(messages, ACTION_NEXT_PANE, 1);
	/* The others waited for the last one to come. */
	expect_chosen(s, messages, true, "rank 0 MPI_Barrier 90 collective");
	panel_free(messages);
	leave_cursor(s);
	expect_landing(s, &timeline_panel_ops, "rank 0 MPI_Barrier 90 collective");
	expect_landing(s, &events_panel_ops, "90");
	expect_landing(s, &profile_panel_ops, "MPI_Barrier");
	expect_landing(s, &messages_panel_ops, "collective");
}

TEST_WITH(from_a_kind_of_waiting, struct session *s)
{
	struct panel *patterns = panel_new(&patterns_panel_ops, s);

	bring_up(patterns);
	assert_true(patterns->ops->search(patterns, "Late Sender", 0, NULL));
	bring_up(patterns);
	patterns->ops->act(patterns, ACTION_NEXT_PANE, 1);
	assert_true(patterns->ops->search(patterns, "MPI_Recv", 0, NULL));
	expect_chosen(s, patterns, true, "MPI_Recv mpi_latesender");
	panel_free(patterns);
	leave_cursor(s);
	/* The longest wait of that kind, at the event where it was found. */
	expect_landing(s, &timeline_panel_ops, "rank 1 MPI_Recv 45 message");
	expect_landing(s, &events_panel_ops, "45");
	expect_landing(s, &profile_panel_ops, "MPI_Recv");
	expect_landing(s, &graph_panel_ops, "MPI_Recv");
}

TEST_WITH(from_a_statement, struct session *s)
{
	struct panel *graph = panel_new(&graph_panel_ops, s);

	bring_up(graph);
	assert_true(graph->ops->search(graph, "MPI_Send", 0, NULL));
	expect_chosen(s, graph, true, "MPI_Send");
	panel_free(graph);
	leave_cursor(s);
	expect_landing(s, &timeline_panel_ops, "rank 0 MPI_Send 30 message");
	expect_landing(s, &events_panel_ops, "30");
	expect_landing(s, &profile_panel_ops, "MPI_Send");
}

TEST_WITH(from_a_rank, struct session *s)
{
	struct panel *topology = panel_new(&topology_panel_ops, s);

	leave_cursor(s);
	bring_up(topology);
	topology->ops->act(topology, ACTION_LAST, 1);
	expect_chosen(s, topology, true, "rank 1");
	panel_free(topology);
	/* At the time where the cursor was: before the receive. */
	expect_landing(s, &timeline_panel_ops, "rank 1 main 0");
	expect_landing(s, &events_panel_ops, "5");
	expect_landing(s, &topology_panel_ops, "rank 1");
	expect_landing(s, &utilisation_panel_ops, "");
}

/* What the landing view lacks leaves its cursor where it is. */
TEST_WITH(where_it_is_not, struct session *s)
{
	struct panel *profile = panel_new(&profile_panel_ops, s);
	struct selection none = SELECTION_NONE;

	bring_up(profile);
	assert_true(profile->ops->search(profile, "MPI_Barrier", 0, NULL));
	none.location = 1;
	assert_true(profile->ops->land(profile, &none));
	expect_chosen(s, profile, false, "MPI_Barrier");
	panel_free(profile);
}
