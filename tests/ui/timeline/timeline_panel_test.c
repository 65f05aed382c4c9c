/* The timeline under keys: what actions do to the session, and what is said about what is under the
 * cursor. */
#include <stdlib.h>
#include <string.h>

#include "harness/notation.h"
#include "harness/open_panel.h"
#include "harness/test.h"
#include "model/build/builder.h"
#include "ui/panels/panels.h"
#include "ui/timeline/panel/timeline_state.h"
#include "ui/timeline/timeline_aid.h"

/* Two ranks, microseconds: rank 0 main 0-1000, work 100-300, MPI_Send 300-350, work 400-600; rank 1
 * main 0-1000, MPI_Recv 200-420; a barrier of both, 700-900 and 850-900. */
static struct trace *make_trace(void)
{
	return notation_trace(
		"region MPI_Barrier class sync; file 'src/app.c'\n"
		"rank 0: main@0 {\n"
		"  work@100000-300000 MPI_Send:41@300000-350000 ->1 tag 7 8192B @310000\n"
		"  work@400000-600000 MPI_Barrier:60@700000-900000 all ?B } @999999\n"
		"rank 1: main@0 {\n"
		"  MPI_Recv:52@200000-420000 <-0 tag 7 8192B @410000\n"
		"  MPI_Barrier:60@850000-900000 all ?B } @999999");
}

static void open_trace(struct open *o, struct trace *trace, int w, int h, bool leave_cursor)
{
	assert_non_null(trace);
	open_mono(o, &timeline_panel_ops, trace, w, h);
	requery(o);
	if (leave_cursor)
		return;
	session_set_cursor(&o->session, 0, 0, EVENT_NONE);
	requery(o);
}

/* 100 columns of 10 us. */
static int open_usual(void **state)
{
	static struct open o;

	open_trace(&o, make_trace(), 109, 12, false);
	*state = &o;
	return 0;
}

FIXTURE(open_usual, close_opened)

/* Plays keys, separated by blanks. */
static void keys(struct open *o, const char *line)
{
	char buffer[256], *save = NULL;

	strcpy(buffer, line);
	for (char *key = strtok_r(buffer, " ", &save); key; key = strtok_r(NULL, " ", &save)) {
		o->session.notice[0] = '\0';
		assert_int_not_equal(action_of_key(key), ACTION_NONE);
		o->panel->ops->act(o->panel, action_of_key(key), 1);
		o->panel->ops->requery(o->panel);
	}
}

static void put_cursor(struct open *o, uint32_t location, int64_t time)
{
	session_set_cursor(&o->session, location, time, EVENT_NONE);
	requery(o);
}

static void cursor_is_at(const struct open *o, uint32_t location, int64_t time)
{
	assert_int_equal(o->session.cursor.location, location);
	assert_int_equal(o->session.cursor.time, time);
}

static void status_has(struct open *o, const char *part)
{
	str_clear(&o->text);
	o->panel->ops->status(o->panel, &o->text);
	assert_non_null(strstr(o->text.text, part));
}

static void search_goes(struct open *o, const char *pattern, int direction, uint32_t location,
			int64_t time)
{
	struct err err = ERR_INIT;

	assert_true(o->panel->ops->search(o->panel, pattern, direction, &err));
	cursor_is_at(o, location, time);
}

/* Nobody has moved the cursor: what is between MPI_Init and MPI_Finalize is shown, which here take
 * 850 of 1,000 us; all of it with a key, and back with the same. */
TEST(the_first_look_is_at_what_the_program_did)
{
	ENDED_BY(close_panel) struct open o;

	open_trace(&o,
		   notation_trace("mpi mpi\n"
				  "rank 0: MPI_Init@0-500000 MPI_Finalize@750000-999999\n"
				  "rank 1: MPI_Init@0-600000 MPI_Finalize@760000-999999"),
		   109, 12, true);
	assert_int_equal(o.session.cursor.time, 675000);
	assert_string_equal(o.session.notice, "85 % of the run left out; 0 shows all of it");
	assert_int_equal(o.session.window.t0, 600000);
	assert_int_equal(o.session.window.t1, 750000);
	keys(&o, "0");
	assert_int_equal(o.session.window.t0, 0);
	assert_int_equal(o.session.window.t1, 1000000);
	keys(&o, "0");
	assert_int_equal(o.session.window.t0, 600000);
	assert_int_equal(o.session.window.t1, 750000);
	/* In, and out again, which ends there; then beyond. */
	keys(&o, "w");
	assert_int_equal(o.session.window.t1 - o.session.window.t0, 75000);
	keys(&o, "s");
	assert_int_equal(o.session.window.t0, 600000);
	assert_int_equal(o.session.window.t1, 750000);
	keys(&o, "s");
	assert_int_equal(o.session.window.t1 - o.session.window.t0, 300000);
}

/* Ends of less than a tenth of the run stay. */
TEST(short_ends_are_shown)
{
	ENDED_BY(close_panel) struct open o;

	open_trace(&o,
		   notation_trace("mpi mpi\n"
				  "rank 0: MPI_Init@0-50000 MPI_Finalize@960000-999999\n"
				  "rank 1: MPI_Init@0-40000 MPI_Finalize@970000-999999"),
		   109, 12, true);
	assert_int_equal(o.session.window.t0, 0);
	assert_int_equal(o.session.window.t1, 1000000);
	assert_string_equal(o.session.notice, "");
}

/* 16 ranks, of which every other one computes all the time; `setting` says more of them. */
static struct trace *sixteen(const char *setting, bool alike)
{
	OWNED_STR run = STR_INIT;

	for (int rank = 0; rank < 16; rank++)
		str_add_fmt(&run, "rank %d: main@0 { %s@0-999 } @1000\n", rank,
			    alike || rank % 2 ? "work" : "MPI_Recv");
	str_add(&run, setting);
	return notation_trace(run.text);
}

static void is_grouped(struct open *o, enum group_key key, uint32_t rows)
{
	assert_int_equal(o->session.arrangement.key, key);
	assert_int_equal(((struct timeline_panel *)o->panel)->rows.list.n, rows);
}

/* An area of 12 lines has room for 8 rows: by node if there are some, else by likeness, else by
 * neighbouring ranks. What says nothing is skipped. */
TEST(more_ranks_than_rows_are_grouped_at_once)
{
	static const char nodes[] = "node a 0 1 2 3 4; node b 5 6 7 8 9 10 11; node c 12 13 14 15";
	struct open o;

	open_trace(&o, sixteen(nodes, false), 109, 12, true);
	is_grouped(&o, BY_NODE, 3);
	assert_string_equal(o.session.notice, "16 ranks on 3 nodes");
	/* In and out by a key each; and S. */
	keys(&o, "Enter");
	is_grouped(&o, BY_NODE, 3 + 5);
	keys(&o, "Backspace");
	is_grouped(&o, BY_NODE, 3);
	status_has(&o, "row 1/3, by node");
	keys(&o, "p");
	status_has(&o, "1 pinned");
	close_panel(&o);
	open_trace(&o, sixteen("", false), 109, 12, true);
	is_grouped(&o, BY_LIKENESS, 2);
	/* Neither nodes nor processes: alone again. */
	keys(&o, "S");
	is_grouped(&o, BY_NONE, 16);
	keys(&o, "S");
	is_grouped(&o, BY_RANGE, 8);
	close_panel(&o);
	open_trace(&o, sixteen("", true), 109, 12, true);
	is_grouped(&o, BY_RANGE, 8);
	/* All are alike: that is no group. */
	keys(&o, "S");
	is_grouped(&o, BY_NONE, 16);
	close_panel(&o);
	open_trace(&o, sixteen(nodes, false), 109, 20, true);
	is_grouped(&o, BY_NONE, 16);
	close_panel(&o);
}

TEST(cursor_moves_by_cells_and_rows)
{
	ENDED_BY(close_panel) struct open o;

	open_trace(&o, make_trace(), 109, 12, false); /* 100 columns of 10 us */
	keys(&o, "l l l");
	assert_int_equal(o.session.cursor.time, 30000);
	keys(&o, "h");
	assert_int_equal(o.session.cursor.time, 20000);
	keys(&o, "j");
	assert_int_equal(o.session.cursor.location, 1);
	keys(&o, "j");
	assert_int_equal(o.session.cursor.location, 1);
	keys(&o, "k k");
	assert_int_equal(o.session.cursor.location, 0);
	keys(&o, "G");
	assert_int_equal(o.session.cursor.location, 1);
}

TEST_WITH(details_name_the_visit_its_message_and_its_callers, struct open *o)
{
	put_cursor(o, 1, 300000);
	sees_exactly(o, "rank 1  MPI_Recv  200.0-420.0 us (220.0 us)  <- rank 0 tag 7, 8,192 B");
	sees_exactly(o, "app.c:52 main()");
	put_cursor(o, 0, 330000);
	sees_exactly(o, "rank 0  MPI_Send  300.00-350.00 us (50.00 us)  -> rank 1 tag 7, 8,192 B");
}

TEST(details_say_who_came_last_to_a_collective)
{
	ENDED_BY(close_panel) struct open o;

	/* So wide that the wait state fits beside it, which is found in a thread meanwhile. */
	open_trace(&o, make_trace(), 140, 12, false);
	put_cursor(&o, 0, 750000);
	sees_exactly(&o, "MPI_Barrier  700.0-900.0 us (200.0 us)  entered 1 of 2, last: rank 1, "
			 "150 us later");
	keys(&o, "]");
	cursor_is_at(&o, 1, 850000);
}

/* Recording is off from 200 to 500 us, inside main, and from 800 us on, outside of it. */
static struct trace *make_paused(void)
{
	static const struct {
		int64_t time;
		bool on;
	} switches[] = { { 200000, false }, { 500000, true }, { 800000, false }, { 950000, true } };
	struct shown m;

	shown_begin(&m, 1);
	shown_enter(&m, 0, MAIN, 0);
	for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
		if (switches[i].time == 800000)
			shown_leave(&m, 0, MAIN, 700000);
		builder_tracing(m.b, m.loc[0], switches[i].time, m.site[MAIN], switches[i].on);
	}
	shown_visit(&m, 0, MAIN, 980000, 999999);
	return shown_end(&m);
}

TEST(details_say_where_nothing_was_recorded)
{
	ENDED_BY(close_panel) struct open o;

	open_trace(&o, make_paused(), 109, 12, false);
	put_cursor(&o, 0, 100000);
	sees_exactly(&o, "rank 0  main  0.0-700.0 us");
	put_cursor(&o, 0, 300000);
	sees_exactly(&o, "rank 0  not recorded, in main  0.0-700.0 us");
	put_cursor(&o, 0, 600000);
	sees_exactly(&o, "rank 0  main  0.0-700.0 us");
	put_cursor(&o, 0, 750000);
	sees_exactly(&o, "rank 0  outside all regions");
	put_cursor(&o, 0, 900000);
	sees_exactly(&o, "rank 0  not recorded");
}

TEST_WITH(a_message_is_followed_both_ways, struct open *o)
{
	put_cursor(o, 0, 330000);
	keys(o, "]");
	cursor_is_at(o, 1, 410000);
	keys(o, "]");
	assert_string_equal(o->session.notice, "this is the receive of the message");
	keys(o, "[");
	cursor_is_at(o, 0, 310000);
}

TEST_WITH(visits_of_a_region_and_events_are_stepped_through, struct open *o)
{
	put_cursor(o, 0, 150000);
	keys(o, ">");
	assert_int_equal(o->session.cursor.time, 400000);
	keys(o, "<");
	assert_int_equal(o->session.cursor.time, 100000);
	keys(o, ".");
	assert_int_equal(o->session.cursor.time, 300000);
	keys(o, ". .");
	assert_int_equal(o->session.cursor.time, 310000);
	keys(o, ", , , ,");
	assert_int_equal(o->session.cursor.time, 0);
	keys(o, ",");
	assert_string_equal(o->session.notice, "no more events on rank 0 in this direction");
}

TEST_WITH(zoom_is_undone_and_done_again, struct open *o)
{
	struct span run;

	run = o->session.run;
	put_cursor(o, 0, 500000);
	keys(o, "w w");
	assert_int_equal(o->session.window.t1 - o->session.window.t0, 250000);
	keys(o, "s s");
	assert_true(o->session.window.t0 == run.t0 && o->session.window.t1 == run.t1);
	assert_true(session_undo(&o->session));
	assert_int_equal(o->session.window.t1 - o->session.window.t0, 500000);
	assert_true(session_redo(&o->session));
	assert_int_equal(o->session.window.t1, run.t1);
	keys(o, "z"); /* work 400-600 us and a tenth on both sides */
	assert_true(o->session.window.t0 == 400000 - 20001 &&
		    o->session.window.t1 == 600000 + 20001);
	keys(o, "d"); /* 25 of 100 columns: to the first tick at or behind their edge */
	assert_int_equal(o->session.window.t0, 400000 - 20001 + (240002 + 3) / 4);
	keys(o, "0");
	assert_int_equal(o->session.window.t0, run.t0);
}

TEST_WITH(enter_goes_down_to_the_events, struct open *o)
{
	put_cursor(o, 0, 500000);
	keys(o, "Enter");
	assert_null(o->session.asked.goto_view);
	assert_int_equal(o->session.window.t0, 400000 - 20001);
	keys(o, "Enter");
	assert_string_equal(o->session.asked.goto_view, "events");
	assert_int_equal(o->session.cursor.time, 400000);
}

TEST_WITH(a_selection_snaps_to_events, struct open *o)
{
	put_cursor(o, 0, 107000);
	keys(o, "v");
	put_cursor(o, 0, 295000);
	keys(o, "v");
	assert_int_equal(o->session.selection.t0, 100000);
	assert_int_equal(o->session.selection.t1, 300000);
	status_has(o, "selected 200.0 us");
	keys(o, "z");
	assert_true(o->session.window.t0 == 100000 && o->session.window.t1 == 300000);
}

TEST_WITH(search_goes_from_visit_to_visit, struct open *o)
{
	struct err err = ERR_INIT;

	search_goes(o, "mpi_", 0, 0, 300000);
	search_goes(o, "mpi_b", 0, 0, 700000);
	status_has(o, "1/2");
	search_goes(o, "mpi_b", 1, 1, 850000);
	search_goes(o, "mpi_b", 1, 0, 700000);
	search_goes(o, "mpi_b", -1, 1, 850000);
	assert_false(o->panel->ops->search(o->panel, "nothing", 1, &err));
	assert_true(err_is_set(&err));
}

TEST(nesting_and_hidden_rows)
{
	ENDED_BY(close_panel) struct open o;

	open_trace(&o, make_trace(), 109, 14, false);
	keys(&o, ") )");
	assert_string_equal(o.session.notice, "nesting levels 1 to 2 of 2");
	sees_exactly(&o, "main");
	keys(&o, ")");
	assert_string_equal(o.session.notice, "nesting levels 1 to 2 of 2");
	keys(&o, "( (");
	assert_string_equal(o.session.notice, "innermost region");
	keys(&o, "x");
	assert_int_equal(o.session.rows.n, 1);
	assert_int_equal(o.session.cursor.location, 1);
	assert_null(strstr(screen(&o), "rank 0"));
	keys(&o, "X");
	sees_exactly(&o, "rank 0");
}

/* Two ranks count instructions from 0 to 1,000 us: rank 0 1,000 in the first half, 3,000 in the
 * second, rank 1 twice as many. */
static struct trace *make_counters(void)
{
	struct err err = ERR_INIT;
	struct builder *b = builder_new("counted.trc", &units_nanoseconds, &err);
	const uint32_t site = builder_site(b, builder_region(b, "main", CLASS_USER, 1), 0, 0, 1);
	const uint32_t metric =
		builder_metric(b, &(struct metric){ .name = builder_string(b, "TOT_INS\033[2J", 11),
						    .unit = builder_string(b, "#", 1),
						    .mode = METRIC_ACCUMULATED_START,
						    .value = FIELD_UINT });
	const uint32_t set =
		builder_metric_set(b, &(struct metric_set){
					      .n = 1, .metrics = &metric, .recorder = UINT32_MAX });
	static const uint64_t counts[] = { 0, 1000, 4000 };

	for (uint32_t r = 0; r < 2; r++) {
		const uint32_t l = builder_location(b, &(struct location){ .rank = (int32_t)r,
									   .process = -1 });

		builder_enter(b, l, 0, site);
		for (int i = 0; i < 3; i++) {
			const uint64_t values[] = { set, counts[i] * (r + 1) };

			builder_detail(b, l, i * 500000, DETAIL_METRIC, values, 2);
		}
		builder_leave(b, l, 1000000, site);
	}
	for (int i = 0; i < 3; i++)
		builder_marker(b, &(struct marker){ .time = 300000 + (i > 0) * 400000,
						    .category = builder_string(b, "note", 4),
						    .text = builder_string(b, "a\007step", 6),
						    .severity = (uint8_t)(3 - i) });
	return builder_finish(b, &(struct builder_options){ .jobs = 1 }, NULL, &err);
}

/* 1,000 in 500 us are 2 M/s, 3,000 are 6 M/s; of the group 6 and 18 M/s. */
TEST(counters_stand_under_their_locations)
{
	ENDED_BY(close_panel) struct open o;

	open_trace(&o, make_counters(), 100, 16, false);
	arrangement_toggle_counter(&o.session.arrangement, 0);
	session_rearranged(&o.session);
	requery(&o);
	keys(&o, "l j");
	assert_int_equal(o.session.cursor.location, 0);
	assert_int_equal(o.session.cursor.metric, 0);
	sees_exactly(&o, "rank 0  TOT_INS");
	sees_exactly(&o, "2 M/s  of 0-12 M/s");
	assert_null(strchr(o.text.text, 033));
	put_cursor(&o, 0, 750000);
	sees_exactly(&o, "6 M/s  of 0-12 M/s");
	sees_exactly(&o, "0 values here; last 1 k at 500");
	keys(&o, "j j");
	assert_int_equal(o.session.cursor.location, 1);
	sees_exactly(&o, "12 M/s  of 0-12 M/s");
	session_group(&o.session, BY_RANGE, 2);
	requery(&o);
	keys(&o, "G");
	sees_exactly(&o, "0-1  sum of TOT_INS");
	sees_exactly(&o, "18 M/s  of 0-18 M/s");
	keys(&o, "x");
	assert_int_equal(o.session.arrangement.counters.n, 0);
	assert_int_equal(o.session.rows.n, 2);
}

/* One at 300 us, two at 700 us. */
TEST(markers_stand_on_the_ruler)
{
	ENDED_BY(close_panel) struct open o;
	int marks = 0;

	open_trace(&o, make_counters(), 100, 16, false);
	keys(&o, "M");
	assert_int_equal(o.session.cursor.time, 300000);
	sees_exactly(&o, "marker note: a");
	sees_exactly(&o, "step  at 300");
	assert_null(strchr(o.text.text, 7));
	assert_null(strstr(o.text.text, "more"));
	keys(&o, "M");
	assert_int_equal(o.session.cursor.time, 700000);
	sees_exactly(&o, "and 1 more");
	keys(&o, "M");
	assert_int_equal(o.session.cursor.time, 300000);
	put_cursor(&o, 0, 500000);
	assert_null(strstr(screen(&o), "marker"));
	for (const char *p = o.text.text; (p = strstr(p, "\u25bc")); p++)
		marks++;
	assert_int_equal(marks, 2);
}

/* Random keys in windows of any size: nothing may fall over, and the cursor stays where it can be
 * seen. */
TEST(any_keys_in_any_window)
{
	static const char *const all[] = { "h",     "l",         "j",      "k", "w", "s", "a", "d",
					   "0",     "z",         "u",      "x", "X", "v", ",", ".",
					   "<",     ">",         "[",      "]", "(", ")", "g", "G",
					   "w",     "w",         "Ctrl-r", "l", ".", "S", "p", "|",
					   "Enter", "Backspace", "G",      "k" };
	uint32_t random = 12345;

	for (int round = 0; round < 12; round++) {
		struct open o;

		open_trace(&o, round % 2 ? make_trace() : make_counters(), 20 + round * 17,
			   5 + round * 3, false);
		if (round % 3 == 0)
			session_group(&o.session, BY_RANGE, 2);
		if (round % 2 == 0)
			arrangement_toggle_counter(&o.session.arrangement, 0);
		session_rearranged(&o.session);
		requery(&o);
		for (int i = 0; i < 150; i++) {
			random = random * 1664525u + 1013904223u;
			keys(&o, all[(random >> 16) % (sizeof all / sizeof *all)]);
			assert_true(o.session.cursor.time >= o.session.window.t0);
			assert_true(o.session.cursor.time < o.session.window.t1);
			if (i % 10 == 0)
				screen(&o);
		}
		/* A size that nobody announced. */
		canvas_resize(&o.canvas, 33, 9);
		o.panel->ops->draw(o.panel, &o.canvas, (struct rect){ 0, 0, 33, 9 });
		close_panel(&o);
	}
}

/* Groups whose sums are not made yet when the filter leaves no row: there is nothing to go on
 * with. */
TEST(no_rows_left_between_keys)
{
	struct err err = ERR_INIT;
	struct open o;
	unsigned reactions = 0;

	open_trace(&o, make_trace(), 109, 12, false);
	session_group(&o.session, BY_RANGE, 2);
	requery(&o);
	screen(&o);
	session_zoom(&o.session, 100000, 600000);
	o.panel->ops->requery(o.panel);
	assert_true(session_set_filter(&o.session, "rank == 7", &err));
	requery(&o);
	while (o.panel->ops->work(o.panel, &reactions))
		;
	sees(&o, "excludes all");
	close_panel(&o);
}
