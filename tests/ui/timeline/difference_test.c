/* What a time base did to the times: in tables, in the timeline, before above after; and the way
 * from base to base. All numbers are worked out by hand from the sample of views (sample.h),
 * microseconds:
 *
 *	linear		rank 1 is 40 early: it receives at 80 what is sent at 100
 *	clc		as measured, but rank 1 from its receive on 20 later (140)
 *	compensated	nine tenths of clc, cut to whole ticks
 */
#include "harness/load_trace.h"
#include "harness/test.h"
#include "views/facts/difference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "correct/correct.h"
#include "harness/open_panel.h"
#include "harness/sample.h"
#include "harness/shifted.h"
#include "model/trace/message.h"
#include "ui/panels/panels.h"
#include "ui/timeline/picture/timeline_picture.h"

static int64_t linear_time(void *context, uint32_t location, uint64_t nth, int64_t t)
{
	(void)context;
	(void)nth;
	return location == 1 ? t - 40 : t;
}

static int64_t clc_time(void *context, uint32_t location, uint64_t nth, int64_t t)
{
	(void)context;
	return location == 1 && nth >= 2 ? t + 20 : t;
}

static int64_t tenths_time(void *context, uint32_t location, uint64_t nth, int64_t t)
{
	(void)context;
	(void)location;
	(void)nth;
	return t * 9 / 10;
}

static struct trace *make_trace(void)
{
	struct trace *trace = views_sample();

	shifted_base(trace, BASE_LINEAR, BASE_MEASURED, linear_time, NULL);
	shifted_base(trace, BASE_CLC, BASE_MEASURED, clc_time, NULL);
	shifted_base(trace, BASE_COMPENSATED, BASE_CLC, tenths_time, NULL);
	return trace;
}

static struct query difference_query(struct trace *trace, enum time_base base)
{
	struct query query = sample_query(trace);

	query.base = base;
	query.difference = true;
	query.against = difference_reference(trace, NULL, base);
	return query;
}

static char *csv_of(const char *view, const struct query *query)
{
	return sample_export(view, query, EXPORT_CSV, 0);
}

static bool csv_has(const char *view, const struct query *query, const char *part)
{
	OWNED char *text = csv_of(view, query);

	return strstr(text, part) != NULL;
}

/* ---- what is compared with what, in which steps ---- */

TEST(each_base_has_its_reference)
{
	OWNED_TRACE *bare = views_sample(), *trace = make_trace();

	assert_int_equal(difference_reference(bare, NULL, BASE_MEASURED), BASE_MEASURED);
	assert_int_equal(difference_reference(bare, NULL, BASE_CLC), BASE_MEASURED);
	assert_int_equal(difference_reference(bare, NULL, BASE_UPPER), BASE_MEASURED);
	assert_int_equal(difference_reference(trace, NULL, BASE_MEASURED), BASE_MEASURED);
	assert_int_equal(difference_reference(trace, NULL, BASE_LINEAR), BASE_MEASURED);
	assert_int_equal(difference_reference(trace, NULL, BASE_FITTED), BASE_LINEAR);
	assert_int_equal(difference_reference(trace, NULL, BASE_CLC), BASE_LINEAR);
	assert_int_equal(difference_reference(trace, NULL, BASE_LOWER), BASE_CLC);
}

/* Ranks that share one clock: the offsets were noise, so nothing is compared with linear times. */
TEST(one_clock_is_compared_with_measured_times)
{
	OWNED_TRACE *trace = make_trace();
	OWNED_STR text = STR_INIT;
	struct fit_clock clocks[] = { { .state = CLOCK_REFERENCE }, { .state = CLOCK_ONE_SIDED } };
	struct corrections c = { .fit = { .done = true, .n_clocks = 2, .clocks = clocks } };

	assert_int_equal(difference_reference(trace, &c, BASE_FITTED), BASE_LINEAR);
	clocks[1].state = CLOCK_SHARED;
	assert_int_equal(difference_reference(trace, &c, BASE_FITTED), BASE_MEASURED);
	assert_int_equal(difference_reference(trace, &c, BASE_CLC), BASE_MEASURED);
	difference_sentence(trace, &c, BASE_FITTED, &text);
	assert_string_equal(text.text, "one clock: nothing moved");
}

TEST(steps_are_powers_of_ten_and_shares)
{
	static const struct timescale fine = { 1000000000000, 12 };
	static const struct timescale coarse = { 1000, 3 };

	assert_int_equal(difference_move_step(0, &fine), 0);
	assert_int_equal(difference_move_step(1, &fine), 1);
	assert_int_equal(difference_move_step(999999, &fine), 1);
	assert_int_equal(difference_move_step(1000000, &fine), 2); /* 1 us */
	assert_int_equal(difference_move_step(-9999999, &fine), 2);
	assert_int_equal(difference_move_step(10000000, &fine), 3);
	assert_int_equal(difference_move_step(1000000000000, &fine), 8);
	assert_int_equal(difference_move_step(INT64_MIN, &fine), 8);
	assert_int_equal(difference_move_step(1, &coarse), 5); /* a millisecond is one tick */
	assert_int_equal(difference_move_step(-1000, &coarse), 8);
	assert_int_equal(difference_share_step(0), 0);
	assert_int_equal(difference_share_step(0.00009), 0);
	assert_int_equal(difference_share_step(-0.00009), 0);
	assert_int_equal(difference_share_step(0.0002), 1);
	assert_int_equal(difference_share_step(0.01), 1);
	assert_int_equal(difference_share_step(0.011), 2);
	assert_int_equal(difference_share_step(0.5), 7);
	assert_int_equal(difference_share_step(1), 8);
	assert_int_equal(difference_share_step(-0.04), 3);
}

/* ---- tables ---- */

static size_t lines_with(const char *text, const char *part)
{
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, part)); p++)
		n++;
	return n;
}

TEST(events_say_how_far_they_moved)
{
	OWNED_TRACE *trace = make_trace();
	struct query query = difference_query(trace, BASE_CLC);
	OWNED char *text = csv_of("events", &query);

	assert_int_equal(strncmp(text, "time_s,moved_s,rank,", 20), 0);
	/* 11 events of rank 0, 2 of rank 1 before its receive, 11 from there on. */
	assert_int_equal(lines_with(text, ",0.000000000,0,"), 11);
	assert_int_equal(lines_with(text, ",0.000040000,1,"), 2);
	assert_int_equal(lines_with(text, ",0.000060000,1,"), 11);
	/* Nothing is there that was not before, where nobody asks. */
	query.difference = false;
	assert_true(csv_has("events", &query, "time_s,rank,thread,"));
	assert_false(csv_has("messages", &query, "before"));
	assert_false(csv_has("profile", &query, "before"));
}

TEST(messages_say_what_their_latency_was)
{
	OWNED_TRACE *trace = make_trace();
	struct query query = difference_query(trace, BASE_CLC);

	assert_true(
		csv_has("messages", &query, "latency_s,latency_change_s,latency_before_s,flags,"));
	assert_true(csv_has("messages", &query, ",0.000040000,0.000060000,-0.000020000,"));
}

TEST(profiles_say_what_changed)
{
	OWNED_TRACE *trace = make_trace();
	struct query query = difference_query(trace, BASE_COMPENSATED);

	/* solve: 500 + 100 + 101 in clc; 450 + 90 + 90 */
	assert_true(csv_has("profile", &query,
			    "solve,3,0.000630000,0.000630000,-0.000071000,0.000701000,"));
	assert_true(csv_has("profile", &query,
			    "MPI_Recv,1,0.000081000,0.000081000,-0.000009000,0.000090000,"));
	query.export.by_rank = true;
	assert_true(csv_has("profile", &query,
			    "1,MPI_Barrier,1,0.000360000,0.000360000,-0.000040000,0.000400000,"));
}

/* Paper 3: what was taken out, by region and by rank; without signs the shares add up to 1. */
TEST(the_difference_is_shared_out)
{
	static const char by_region[] =
		"region,before_s,after_s,difference_s,share\n"
		"main,0.000719000,0.000648000,0.000071000,0.351485149\n"
		"solve,0.000701000,0.000630000,0.000071000,0.351485149\n"
		"MPI_Barrier,0.000500000,0.000450000,0.000050000,0.247524752\n"
		"MPI_Recv,0.000090000,0.000081000,0.000009000,0.0445544554\n"
		"MPI_Send,0.000010000,0.000009000,0.000001000,0.00495049505\n";
	OWNED_TRACE *trace = make_trace();
	struct query query = difference_query(trace, BASE_COMPENSATED);
	OWNED char *text = csv_of("difference", &query);

	assert_string_equal(text, by_region);
	query.export.by_rank = true;
	assert_true(csv_has("difference", &query, "0,solve,0.000500000,0.000450000,0.000050000,"));
	assert_true(csv_has("difference", &query, "1,solve,0.000201000,0.000180000,0.000021000,"));
	query.export.by_rank = false;
	/* 90-630 of compensated is 100-700 of clc, on either rank. */
	query.t0 = 90;
	query.t1 = 630;
	assert_true(csv_has("difference", &query, "solve,0.000701000,0.000630000,"));
	assert_true(csv_has("difference", &query, "main,0.000269000,0.000243000,"));
	assert_true(csv_has("difference", &query, "MPI_Barrier,0.000180000,0.000162000,"));
	assert_true(csv_has("difference", &query, "MPI_Recv,0.000040000,0.000036000,"));
}

static int64_t late_receive_time(void *context, uint32_t location, uint64_t nth, int64_t t)
{
	(void)context;
	return location == 1 && (nth == 2 || nth == 3) ? t + 20 : t;
}

/* The receive ends 20 later, what follows begins 20 later: the whole takes as long as before. */
TEST(what_one_region_gains_and_another_loses_is_no_more_than_all)
{
	OWNED_TRACE *trace = views_sample();
	struct query query;

	shifted_base(trace, BASE_CLC, BASE_MEASURED, late_receive_time, NULL);
	query = difference_query(trace, BASE_CLC);
	assert_true(csv_has("difference", &query, "main,0.000719000,0.000699000,0.000020000,0.5"));
	assert_true(csv_has("difference", &query,
			    "MPI_Recv,0.000070000,0.000090000,-0.000020000,-0.5"));
}

/* Whatever the base: what is missing in the whole is what is missing in the parts. */
TEST(shares_of_random_runs_add_up)
{
	for (uint64_t seed = 1; seed < 6; seed++) {
		OWNED_TRACE *trace = sample_random(seed, 5, 400);
		double share = 0;
		struct query query;
		struct csv csv;
		OWNED char *text;

		shifted_base(trace, BASE_COMPENSATED, BASE_MEASURED, tenths_time, NULL);
		query = difference_query(trace, BASE_COMPENSATED);
		query.export.by_rank = seed % 2;
		text = csv_of("difference", &query);
		csv = csv_parse(text);
		for (size_t i = 1; i < csv.n_rows; i++)
			share += fabs(strtod(csv.rows[i][csv.n_columns - 1], NULL));
		assert_true(csv.n_rows > 3 && share > 0.999999 && share < 1.000001);
		csv_free(&csv);
	}
}

/* Exclusive time of a region in a base, as the profile has it; the caller's. */
static char *exclusive(const struct query *query, enum time_base base, const char *region)
{
	struct query of = *query;
	char *found = NULL;
	struct csv csv;
	OWNED char *text;

	of.base = base;
	of.difference = false;
	of.t1 = INT64_MAX;
	text = csv_of("profile", &of);
	csv = csv_parse(text);
	for (size_t i = 1; i < csv.n_rows && !found; i++)
		if (strcmp(csv.rows[i][0], region) == 0)
			found = xstrdup(csv.rows[i][3]);
	csv_free(&csv);
	assert_non_null(found);
	return found;
}

/* The least and the largest of three. */
static void assert_span(char *const *bounds, const char *a, const char *b, const char *c)
{
	const double x = strtod(a, NULL), y = strtod(b, NULL), z = strtod(c, NULL);

	assert_true(strtod(bounds[0], NULL) == fmin(x, fmin(y, z)));
	assert_true(strtod(bounds[1], NULL) == fmax(x, fmax(y, z)));
}

/* Before, after, difference and share row by row, and bounds that are the profile's: of times of a
 * few ticks the best estimate may be one beside them. */
static void the_corrections_say_the_same(const struct query *query, const struct csv *difference)
{
	OWNED char *text = csv_of("corrections-regions", query);
	struct csv csv = csv_parse(text);

	assert_string_equal(csv.rows[0][1], "measured_s");
	assert_int_equal(csv.n_rows, difference->n_rows);
	for (size_t i = 1; i < csv.n_rows; i++) {
		char **const row = csv.rows[i], **const other = difference->rows[i];

		assert_string_equal(row[0], other[0]);
		assert_string_equal(row[1], other[1]);
		assert_string_equal(row[2], other[2]);
		assert_string_equal(row[3], other[3]);
		assert_string_equal(row[4], other[4]);
		assert_true(strtod(row[5], NULL) <= strtod(row[2], NULL) &&
			    strtod(row[2], NULL) <= strtod(row[6], NULL));
		if (strcmp(row[0], "(none)") == 0)
			continue;
		OWNED char *lower = exclusive(query, BASE_LOWER, row[0]);
		OWNED char *upper = exclusive(query, BASE_UPPER, row[0]);
		assert_span(&row[5], lower, upper, row[2]);
	}
	csv_free(&csv);
}

/* What is missing in the regions of a real run is what the compensation says it took out of its
 * locations: two sums made in two ways. */
TEST(regions_have_what_locations_lost)
{
	const struct correct_options how = CORRECT_DEFAULTS;
	struct err err = ERR_INIT;
	OWNED_TRACE *trace = load_trace("traces/sweep.trc");
	struct corrections *c;
	int64_t lost = 0, missing = 0;
	struct query query;
	struct csv csv;
	OWNED char *text;

	c = correct_run(trace, &how, NULL, &err);
	assert_non_null(c);
	assert_true(c->overhead.done);
	for (uint32_t l = 0; l < c->overhead.n_locations; l++)
		lost += c->overhead.locations[l].time.measured -
			c->overhead.locations[l].time.compensated;
	query = difference_query(trace, BASE_COMPENSATED);
	text = csv_of("difference", &query);
	csv = csv_parse(text);
	for (size_t i = 1; i < csv.n_rows; i++) {
		int64_t ticks;

		assert_true(
			units_parse_time(csv.rows[i][3], NULL, trace_scale(trace), &ticks, &err));
		missing += ticks;
	}
	assert_true(lost > 0);
	assert_int_equal(missing, lost);
	query.corrections = c;
	query.t1 = 1000; /* the corrections are of the whole run */
	the_corrections_say_the_same(&query, &csv);
	csv_free(&csv);
	corrections_free(c);
}

/* ---- the timeline ---- */

TEST(cells_have_what_moved_in_them)
{
	OWNED_TRACE *trace = make_trace();
	const struct query query = difference_query(trace, BASE_CLC);
	const struct timeline_options options = { .width = 1021, .height = 20, .difference = true };
	struct timeline_shades *shades = timeline_shades_new();
	struct timeline_picture p = { 0 };
	struct err err = ERR_INIT;

	assert_true(timeline_picture_make(&p, &query, shades, &options, &err));
	assert_int_equal(p.visible, 2);
	assert_int_equal(p.under, 1);
	assert_false(p.shares);
	/* A column a tick. */
	for (int x = 0; x < 1021; x++) {
		const struct timeline_move *rank0 = &p.moves[x], *rank1 = &p.moves[1021 + x];

		assert_int_equal(rank0->n, x <= 1000);
		assert_true(!rank0->n || (rank0->low == 0 && rank0->high == 0));
		assert_int_equal(rank1->n, 1);
		if (x < 50)
			assert_true(rank1->low == 40 && rank1->high == 40);
		else if (x >= 140)
			assert_true(rank1->low == 60 && rank1->high == 60);
		else /* between its enter and the receive time was stretched by 20 in 90 */
			assert_true(rank1->low == 40 + (x - 50) * 20 / 90 &&
				    rank1->high == 40 + (x - 49) * 20 / 90);
	}
	timeline_picture_fini(&p);
	timeline_shades_free(shades);
}

TEST(shares_of_cells_are_a_tenth)
{
	OWNED_TRACE *trace = make_trace();
	const struct query query = difference_query(trace, BASE_COMPENSATED);
	const struct timeline_options options = { .width = 9, .height = 20, .difference = true };
	struct timeline_shades *shades = timeline_shades_new();
	struct timeline_picture p = { 0 };
	struct err err = ERR_INIT;

	assert_true(timeline_picture_make(&p, &query, shades, &options, &err));
	assert_true(p.shares);
	for (int x = 0; x < 8; x++) {
		const int64_t width =
			time_scale_edge(&p.scale, x + 1) - time_scale_edge(&p.scale, x);
		const double share = difference_share((double)p.moves[x].taken_out, (double)width);

		assert_true(share > 0.09 && share < 0.11); /* ticks are whole */
	}
	timeline_picture_fini(&p);
	timeline_shades_free(shades);
}

static void open_in(struct open *o, enum time_base base)
{
	struct err err = ERR_INIT;

	open_mono(o, &timeline_panel_ops, make_trace(), 100, 24);
	assert_true(session_set_base(&o->session, base, &err));
}

static const char *screen_now(struct open *o)
{
	requery(o);
	return screen(o);
}

static void shows_now(struct open *o, const char *part)
{
	requery(o);
	sees_exactly(o, part);
}

TEST(the_timeline_says_how_far)
{
	struct err err = ERR_INIT;
	ENDED_BY(close_panel) struct open o;

	open_in(&o, BASE_CLC);
	const struct message *m = trace_message(o.session.trace, 0);
	assert_null(strstr(screen_now(&o), "moved"));
	assert_true(session_set_difference(&o.session, true, &err));
	session_set_cursor(&o.session, 1, 140, m->recv);
	shows_now(&o, "moved +60 us (linear -> clc)");
	shows_now(&o, "+60 us ");
	shows_now(&o, "unchanged");
	session_set_cursor(&o.session, 1, 100, EVENT_NONE);
	shows_now(&o, "moved +40 us, its end +60 us (linear -> clc)");
	session_set_cursor(&o.session, 0, 300, EVENT_NONE);
	shows_now(&o, "not moved (linear -> clc)");
	assert_true(session_set_base(&o.session, BASE_COMPENSATED, &err));
	shows_now(&o, "50 us removed from 500 us, 10.0 % (clc -> compensated)");
	shows_now(&o, "-10.0 %");
	/* Of measured times there is no difference to show; it comes back with the next base. */
	assert_true(session_set_base(&o.session, BASE_MEASURED, &err));
	assert_null(strstr(screen_now(&o), "unchanged"));
	assert_true(session_set_base(&o.session, BASE_CLC, &err));
	shows_now(&o, "unchanged");
}

/* ---- before above after ---- */

TEST(a_pair_is_shown_in_both_bases)
{
	struct err err = ERR_INIT;
	ENDED_BY(close_panel) struct open o;

	open_in(&o, BASE_COMPENSATED);
	struct session *s = &o.session;
	const struct message *m = trace_message(s->trace, 0);
	session_zoom(s, 300, 400);
	session_set_cursor(s, 0, 350, EVENT_NONE);
	session_hide(s, 1);
	screen_now(&o);
	assert_true(session_compare(s, m->send, m->recv, BASE_LINEAR, BASE_CLC, &err));
	assert_string_equal(s->asked.goto_view, "timeline");
	/* Sent at 100, received at 80 and at 140: 61 ticks, and as many on either side. */
	assert_int_equal(s->window.t0, 19);
	assert_int_equal(s->window.t1, 202);
	shows_now(&o, "before (linear)  received 20 us before it was sent");
	shows_now(&o, "after (clc)  40 us from sender to receiver");
	assert_int_equal(lines_with(screen_now(&o), "\n rank 0 "), 2); /* rows, not the details */
	assert_int_equal(o.panel->ops->act(o.panel, ACTION_GROUP, 1), REACT_REDRAW);
	assert_int_equal(s->arrangement.key, BY_NONE);
	o.panel->ops->act(o.panel, ACTION_ZOOM_OUT, 2);
	assert_true(session_set_base(s, BASE_MEASURED, &err));
	shows_now(&o, "after (measured)  20 us from sender to receiver");
	/* Up: the application leaves the view, and all is as it was. */
	assert_int_equal(o.panel->ops->act(o.panel, ACTION_BACK, 1), REACT_IGNORED);
	assert_int_equal(s->base, BASE_COMPENSATED);
	assert_true(s->window.t0 == 300 && s->window.t1 == 400);
	assert_int_equal(s->cursor.time, 350);
	assert_int_equal(s->cursor.location, 0);
	assert_int_equal(s->rows.n, 1);
	assert_null(strstr(screen_now(&o), "before ("));
	/* What was changed meanwhile is forgotten, what was before it is not. */
	while (session_undo(s))
		;
	assert_true(s->window.t0 == s->run.t0 && s->window.t1 == s->run.t1);
	assert_int_equal(s->hidden.n, 0);
}

/* Rank 1's clock is a second late: no window could show that and the message. */
static int64_t late_time(void *context, uint32_t location, uint64_t nth, int64_t t)
{
	(void)context;
	(void)nth;
	return location == 1 ? t - 1000000 : t;
}

TEST(clocks_far_apart_are_shown_at_the_send)
{
	struct err err = ERR_INIT;
	ENDED_BY(close_panel) struct open o;

	open_in(&o, BASE_CLC);
	const struct message *m = trace_message(o.session.trace, 0);
	shifted_base(o.session.trace, BASE_LINEAR, BASE_MEASURED, late_time, NULL);
	assert_true(session_compare(&o.session, m->send, m->recv, BASE_LINEAR, BASE_CLC, &err));
	/* Sent at 100, received at 140 in clc. */
	assert_int_equal(o.session.window.t0, 59);
	assert_int_equal(o.session.window.t1, 182);
	assert_int_equal(o.session.comparison.shift, 0);
	shows_now(&o, "before (linear)  received 1.000 s before it was sent");
	shows_now(&o, "after (clc)  40 us from sender to receiver");
	session_compare_end(&o.session);
	/* Seen from there: the send is where it was, all of rank 1 is not. */
	assert_true(session_compare(&o.session, m->recv, m->send, BASE_LINEAR, BASE_CLC, &err));
	assert_int_equal(o.session.comparison.shift, -1000020);
	shows_now(&o, "shifted -1.00002 s");
}

TEST(one_event_is_shown_where_it_was)
{
	struct err err = ERR_INIT;
	ENDED_BY(close_panel) struct open o;

	open_in(&o, BASE_CLC);
	const struct message *m = trace_message(o.session.trace, 0);
	assert_true(session_compare(&o.session, m->recv, EVENT_NONE, BASE_LINEAR, BASE_CLC, &err));
	shows_now(&o, "before (linear)  at 80 us");
	shows_now(&o, "after (clc)  at 140 us");
	assert_int_equal(o.panel->ops->act(o.panel, ACTION_CANCEL, 1), REACT_REDRAW);
	assert_false(o.session.comparison.on);
	assert_false(session_compare(&o.session, m->recv, EVENT_NONE, BASE_FITTED, BASE_CLC, &err));
	assert_string_equal(err.text, "this trace has no time base 'fitted'");
}

/* ---- from base to base ---- */

TEST(the_same_events_stay_in_the_window)
{
	struct session session, *s = &session;
	struct err err = ERR_INIT;
	struct cursor c;

	session_init(s, make_trace(), BASE_CLC);
	assert_true(cursor_nth(&c, s->trace, BASE_CLC, 1, 4)); /* solve, 170 */
	session_zoom(s, 150, 330);
	session_set_cursor(s, 1, 170, c.id);
	assert_true(session_set_base(s, BASE_COMPENSATED, &err));
	assert_int_equal(s->cursor.event, c.id);
	assert_int_equal(s->cursor.time, 153);
	assert_int_equal(s->window.t0, 135); /* 150: a third between 126 and 153 */
	assert_int_equal(s->window.t1, 297); /* 330: 288, and 10 of 101 of the 90 behind it: 8.9 */
	assert_true(session_set_base(s, BASE_LINEAR, &err));
	assert_int_equal(s->cursor.time, 110);
	assert_true(s->window.t0 == 90 && s->window.t1 == 270);
	assert_true(session_set_base(s, BASE_CLC, &err));
	assert_true(s->window.t0 == 150 && s->window.t1 == 330);
	assert_int_equal(s->cursor.time, 170);
	/* A time without an event goes along, too. */
	session_set_cursor(s, 1, 220, EVENT_NONE);
	assert_true(session_set_base(s, BASE_COMPENSATED, &err));
	assert_int_equal(s->cursor.time, 198);
	/* The whole run stays whole. */
	session_zoom(s, s->run.t0, s->run.t1);
	assert_true(session_set_base(s, BASE_CLC, &err));
	assert_true(s->window.t0 == 0 && s->window.t1 == 1021);
	session_fini(s);
}
