/* What views share: the window and its history, cursor, hidden rows, filter. The sample: 4 ranks,
 * 10 steps of 1 ms, rank r begins 10 r us late, so the run is 0 .. 10.03 ms. */
#include "harness/test.h"
#include "ui/session/session.h"

#include <stdlib.h>
#include <string.h>

#include "harness/sample_trace.h"

enum { US = 1000 };

static int open_session(void **state)
{
	static struct session session;
	session_init(&session, sample_trace(4, 10), BASE_MEASURED);
	*state = &session;
	return 0;
}

static int close_session(void **state)
{
	session_fini(*state);
	return 0;
}

FIXTURE(open_session, close_session)

static void expect_window(const struct session *s, int64_t t0, int64_t t1)
{
	assert_int_equal(s->window.t0, t0);
	assert_int_equal(s->window.t1, t1);
}

TEST_WITH(test_run, struct session *s)
{
	assert_int_equal(s->run.t0, 0);
	assert_int_equal(s->run.t1, 10030 * US + 1); /* the last instant is inside */
	expect_window(s, s->run.t0, s->run.t1);
	const struct query q = session_query(s);
	assert_true(q.t0 == INT64_MIN && q.t1 == INT64_MAX);
	assert_null(q.locations);
}

TEST_WITH(test_zoom_and_its_history, struct session *s)
{
	const uint64_t before = s->generation;
	session_zoom(s, 1000, 5000);
	expect_window(s, 1000, 5000);
	assert_true(s->generation > before);
	session_zoom(s, 2000, 3000);
	session_zoom(s, 2000, 3000); /* nothing new: no entry */
	assert_true(session_undo(s));
	expect_window(s, 1000, 5000);
	assert_true(session_undo(s));
	expect_window(s, s->run.t0, s->run.t1);
	assert_false(session_undo(s));
	assert_true(session_redo(s));
	assert_true(session_redo(s));
	assert_false(session_redo(s));
	expect_window(s, 2000, 3000);
	session_zoom(s, 2500, 2501); /* never narrower than 4 ticks */
	expect_window(s, 2500, 2504);
	assert_true(s->cursor.time >= 2500 && s->cursor.time < 2504);
	session_zoom(s, -500, 100); /* cut at the run's ends */
	expect_window(s, 0, 100);
	assert_false(session_redo(s)); /* a new zoom ends what could be redone */
}

TEST_WITH(test_pan_stops_at_the_ends, struct session *s)
{
	session_zoom(s, 1000, 2000);
	session_pan(s, 500);
	expect_window(s, 1500, 2500);
	session_pan(s, -5000);
	expect_window(s, 0, 1000);
	session_pan(s, INT64_MAX);
	expect_window(s, s->run.t1 - 1000, s->run.t1);
	session_pan(s, INT64_MIN);
	expect_window(s, 0, 1000);
	assert_true(session_undo(s)); /* pans are no zooms */
	expect_window(s, s->run.t0, s->run.t1);
}

TEST_WITH(test_cursor_is_brought_into_sight, struct session *s)
{
	session_zoom(s, 0, 1000);
	const uint64_t before = s->generation;
	session_set_cursor(s, 2, 500, EVENT_NONE);
	assert_int_equal(s->generation, before); /* inside: the window stays */
	session_set_cursor(s, 2, 5000, EVENT_NONE);
	expect_window(s, 4500, 5500);
	session_set_cursor(s, 1, INT64_MAX, EVENT_NONE);
	assert_int_equal(s->cursor.time, s->run.t1 - 1);
	expect_window(s, s->run.t1 - 1000, s->run.t1);
}

TEST_WITH(test_hiding, struct session *s)
{
	s->cursor.location = 1;
	session_hide(s, 1);
	assert_int_equal(s->rows.n, 3);
	assert_int_equal(s->cursor.location, 2); /* the next one */
	session_hide(s, 1);                      /* already gone */
	assert_int_equal(s->rows.n, 3);
	session_hide(s, 3);
	const struct query q = session_query(s);
	assert_int_equal(q.n_locations, 2);
	assert_int_equal(q.locations[1], 2);
	session_hide(s, 0);
	session_hide(s, 2); /* the last one stays */
	assert_int_equal(s->rows.n, 1);
	assert_true(s->notice_is_error);
	session_show_all(s);
	assert_int_equal(s->rows.n, 4);
	assert_null(session_query(s).locations);
}

/* What was undone or made again is named. */
static void expect_notice(const struct session *s, const char *text)
{
	assert_string_equal(s->notice, text);
}

TEST_WITH(any_change_is_undone, struct session *s)
{
	struct err err = ERR_INIT;

	session_zoom(s, 1000, 2001000);
	assert_true(session_set_filter(s, "rank == 1", &err));
	session_hide(s, 3);
	session_hide(s, 0);
	session_group(s, BY_RANGE, 2);
	session_zoom(s, 2000, 1002000);
	/* What changes nothing is no change. */
	assert_true(session_set_filter(s, "rank == 1", &err));
	session_hide(s, 3);
	session_group(s, BY_RANGE, 2);

	assert_true(session_undo(s));
	expect_notice(s, "undone: window 0.002-1.002 ms");
	expect_window(s, 1000, 2001000);
	assert_true(session_undo(s));
	expect_notice(s, "undone: groups by range");
	assert_int_equal(s->arrangement.key, BY_NONE);
	assert_true(session_undo(s));
	expect_notice(s, "undone: 2 hidden rows");
	assert_int_equal(s->hidden.n, 1);
	assert_int_equal(s->hidden.data[0], 3);
	assert_true(session_undo(s));
	expect_notice(s, "undone: 1 hidden row");
	assert_int_equal(s->rows.n, 4);
	assert_true(session_undo(s));
	expect_notice(s, "undone: filter rank == 1");
	assert_null(s->filter);
	assert_true(session_undo(s));
	expect_window(s, s->run.t0, s->run.t1);
	assert_false(session_undo(s));

	for (int i = 0; i < 5; i++)
		assert_true(session_redo(s));
	expect_notice(s, "redone: groups by range");
	assert_string_equal(filter_text(s->filter), "rank == 1");
	assert_int_equal(s->hidden.n, 2);
	expect_window(s, 1000, 2001000);
	session_show_all(s); /* a new change ends what could be made again */
	assert_false(session_redo(s));
	assert_true(session_undo(s));
	expect_notice(s, "undone: all rows shown");
	assert_int_equal(s->hidden.n, 2);
}

/* Of very many changes the oldest ones are forgotten: 200 are kept. */
TEST_WITH(many_changes, struct session *s)
{
	int undone = 0;

	for (int i = 0; i < 300; i++)
		session_zoom(s, i, 5000 + i);
	while (session_undo(s))
		undone++;
	assert_int_equal(undone, 200);
	expect_window(s, 99, 5099);
}

TEST_WITH(test_filter, struct session *s)
{
	struct err err = ERR_INIT;
	assert_true(session_set_filter(s, "rank == 1", &err));
	assert_string_equal(filter_text(s->filter), "rank == 1");
	assert_false(session_set_filter(s, "rank ==", &err));
	assert_int_equal(err.status, STATUS_USAGE);
	assert_string_equal(filter_text(s->filter), "rank == 1"); /* the old one stays */
	assert_true(session_set_filter(s, "  ", NULL));
	assert_null(s->filter);
}

TEST_WITH(test_base_must_be_there, struct session *s)
{
	struct err err = ERR_INIT;
	assert_true(session_set_base(s, BASE_MEASURED, &err));
	assert_false(session_set_base(s, BASE_CLC, &err));
	assert_non_null(strstr(err.text, "clc"));
	assert_int_equal(s->base, BASE_MEASURED);
}

TEST_WITH(test_notices_are_clean, struct session *s)
{
	session_notice(s, false, "%s", "a\033[31mb\xff");
	assert_null(strchr(s->notice, '\033'));
	char long_text[2000];
	memset(long_text, 'x', sizeof long_text - 1);
	long_text[sizeof long_text - 1] = '\0';
	session_notice(s, true, "%s", long_text);
	assert_true(strlen(s->notice) < sizeof s->notice);
}
