/* Pictures of small traces, cell by cell. */
#include <stdio.h>
#include <string.h>

#include "harness/notation.h"
#include "harness/random.h"
#include "harness/test.h"
#include "ui/timeline/drawing/timeline_text.h"
#include "ui/timeline/picture/timeline_chain.h"
#include "ui/timeline/timeline_aid.h"

/* 100 ns. Rank 0: main 0-99, work 10-40, MPI_Send 40-50, MPI_Barrier 80-95. Rank 1: main 5-99,
 * MPI_Recv 20-52, MPI_Barrier 90-95. One message, sent at 42, received at 51. */
static struct trace *small_trace(void)
{
	return notation_trace(
		"region MPI_Barrier class sync\n"
		"rank 0: main@0 {\n"
		"  work@10-40 MPI_Send@40-50 ->1 tag 7 8B @42 MPI_Barrier@80-95 } @99\n"
		"rank 1: main@5 { MPI_Recv@20-52 <-0 tag 7 8B @51 MPI_Barrier@90-95 } @99");
}

static void text_is(const struct query *query, int width, int height, bool ascii,
		    const char *expected)
{
	OWNED_STR out = STR_INIT;
	struct err err = ERR_INIT;

	assert_true(timeline_text(query, width, height, ascii, &out, &err));
	assert_string_equal(out.text, expected);
}

/* ---- pictures ---- */

/* 29 columns: 20 for 100 ns, 5 ns each; strip, ruler, and two rows with two lines between them.
 *  rank 0, column by column: main 0-10 two cells, work 10-40 six, MPI_Send 40-50 two, main 50-80
 *  six, MPI_Barrier 80-95 three, main 95-100 (to 99) one. The first main is cut from work.
 *  rank 1: outside 0-5 one, main 5-20 three, MPI_Recv 20-50 six, too few for its whole name, and
 *  50-52 of the next cell (its left half is the ticks 50, 51, 52), main to 90, MPI_Barrier one
 * cell, main one. The message goes from half column 16 (42 ns) to half column 20 (51 ns) in eight rows
 * of dots: 16, 17, 17, 18 and 18, 19, 19, and the head. The strip: user
 * code has all of the ranks' traced time (full), half of it (4 eighths) or none; of column 10, 8
 * ticks of 10: 6 eighths. Rank 1's blank cell is told in words. */
TEST(small_trace_as_text)
{
	OWNED_TRACE *trace = small_trace();
	const struct query query = shown_whole(trace);

	text_is(&query, 29, 6, false,
		" run    ████▄▄▄▄░░▆█████▄▄▓█\n"
		"        │0 ns     │50 ns\n"
		" rank 0 █▉█work█░░█main█▓▓▓█\n"
		"                ⠱⡀\n"
		"                 ⠱▾\n"
		" rank 1  ███░Recv░▐█main██▓█\n"
		" █ user code\n"
		" ░ point-to-point\n"
		" ▓ synchronisation\n"
		" blank: not recorded\n");
	text_is(&query, 29, 6, true,
		" run    ####%%%%..%#####%%s#\n"
		"        |0 ns     |50 ns\n"
		" rank 0 #|#work#..#main#sss#\n"
		"                \\\n"
		"                 \\v\n"
		" rank 1  ###.Recv.%#main##s#\n"
		" # user code\n"
		" . point-to-point\n"
		" s synchronisation\n"
		" blank: not recorded\n"
		" % user code and more\n");
}

/* 40 to 60 ns in 20 columns of one tick: MPI_Send to 50, then main; rank 1 MPI_Recv to 52, then
 * main. The message goes from half column 4 to half column 22 in eight rows of dots: two columns
 * of dots in each of the first, the rest by x * 7 / 18 to the nearest. */
TEST(zoomed_in)
{
	OWNED_TRACE *trace = small_trace();
	struct query query = shown_whole(trace);

	query.t0 = 40;
	query.t1 = 60;
	text_is(&query, 29, 6, false,
		" run    ████▄▄▄[░░▆█]███▄▄▓█\n"
		"        │40 ns    │50 ns\n"
		" rank 0 ░MPI_Send░███main███\n"
		"          ⠉⠒⠤⢄⡀\n"
		"              ⠈⠉⠒⠢⢄▾\n"
		" rank 1 ░░MPI_Recv░░██main██\n"
		" window: 40-60 ns of 99 ns\n"
		" █ user code\n"
		" ░ point-to-point\n");
}

/* Level 1 is main, level 2 what it calls, and nothing between. */
TEST(nesting_levels_are_lines_of_their_own)
{
	OWNED_TRACE *trace = small_trace();
	ENDED_BY(drawn_fini) struct drawn d = drawn_new();
	const struct query query = shown_whole(trace);
	const struct timeline_options options = { .width = 20, .height = 8, .depth = 2 };
	drawn_make(&d, &query, &options);
	assert_int_equal(d.p.bar, 2);
	assert_int_equal(d.p.visible, 2);
	assert_int_equal(d.p.lanes.n, 4);
	assert_int_equal(d.p.lanes.data[0].level, 1);
	assert_int_equal(d.p.lanes.data[1].level, 2);
	assert_int_equal(d.p.lanes.data[1].location, d.p.lanes.data[0].location);
	for (int x = 0; x < 20; x++) {
		static const char below[] = "..uuuuuupp......sss.";
		const uint8_t expected = below[x] == 'u'   ? CLASS_USER
					 : below[x] == 'p' ? CLASS_P2P
					 : below[x] == 's' ? CLASS_SYNC
							   : CLASS_OUTSIDE;

		assert_int_equal(d.p.cells[x].whole, CLASS_USER);
		assert_int_equal(d.p.cells[20 + x].whole, expected);
	}
}

/* 200 ns in 20 columns. In the gap from 20 to 100 main and work go on, and leaf is visited twice at
 * estimated times: the innermost region is not known there, nor what is called at level 3; levels 1
 * and 2 are. */
TEST(a_gap_is_one_hatched_region)
{
	OWNED_TRACE *trace =
		notation_trace("region MPI_Barrier class sync; region tview_gap class overhead\n"
			       "rank 0: main@0 { work@5 { MPI_Barrier@10-20\n"
			       "  leaf@30-40 leaf@60-90, gap 4 1 @100, tview_gap@100-101\n"
			       "  MPI_Barrier@101-110 leaf@120-150 } @160 } @199");
	ENDED_BY(drawn_fini) struct drawn d = drawn_new();
	const struct query query = shown_whole(trace);
	const struct timeline_options options = { .width = 20, .height = 8, .depth = 3 };

	text_is(&query, 29, 6, false,
		" run    █▓████████▖█████████\n"
		"        │0 ns     │100 ns\n"
		"        █▓////////▓▉██▉▉████\n"
		" rank 0 █▓////////▓▉██▉▉████\n"
		"        █▓////////▓▉██▉▉████\n"
		"        █▓////////▓▉██▉▉████\n"
		" █ user code\n"
		" ▓ synchronisation\n"
		" / ~80 ns in gaps: when functions began and ended there is estimated\n");
	drawn_make(&d, &query, &options);
	for (int x = 0; x < 20; x++) {
		assert_false(d.p.cells[x].estimated);
		assert_false(d.p.cells[20 + x].estimated);
		assert_int_equal(d.p.cells[40 + x].estimated, x >= 2 && x < 10);
	}
}

/* 10 columns of 10 ns. Column 3: work 30-36, MPI_Send 36-38, work to 40: a fifth of the cell is
 * hidden, in a half that work wins as well. Column 4: a tenth: below the threshold, no mark. */
TEST(a_cell_marks_what_it_hides)
{
	OWNED_TRACE *trace = notation_trace("rank 0: work@0-36 MPI_Send@36-38 work@38-46\n"
					    "  MPI_Send@46-47 work@47-99");
	ENDED_BY(drawn_fini) struct drawn d = drawn_new();
	const struct query query = shown_whole(trace);
	const struct timeline_options options = { .width = 10, .height = 1 };

	drawn_make(&d, &query, &options);
	assert_int_equal(d.p.cells[3].left, CLASS_USER);
	assert_int_equal(d.p.cells[3].right, CLASS_USER);
	assert_true(d.p.cells[3].mixed);
	assert_int_equal(d.p.mixes.data[d.p.cells[3].mix].of[CLASS_P2P], 2);
	assert_int_equal(d.p.cells[4].mix, NO_MIX);
}

/* 20 columns of 20 ns. Ten calls of work of 39 ns with a pause of 1 ns: none has room for its name,
 * all together have. Of two long ones each has. */
TEST(short_calls_side_by_side_carry_one_name)
{
	OWNED_TRACE *trace = notation_trace(
		"rank 0: main@0 { work@0-39 work@40-79 work@80-119 work@120-159 work@160-199 work@200-239 work@240-279 work@280-319\n"
		" work@320-359 work@360-399 } @399\n"
		"rank 1: main@0 { work@0-199 work@200-399 } @399");
	ENDED_BY(drawn_fini) struct drawn d = drawn_new();
	const struct query query = shown_whole(trace);
	const struct timeline_options options = { .width = 20, .height = 3 };

	drawn_make(&d, &query, &options);
	assert_int_equal(d.p.labels.n, 3);
	assert_int_equal(d.p.labels.data[0].lane, 0);
	assert_int_equal(d.p.labels.data[0].x, 8);
	assert_int_equal(d.p.labels.data[1].lane, 1);
	assert_in_range(d.p.labels.data[1].x, 0, 5);
	assert_in_range(d.p.labels.data[2].x, 10, 15);
}

/* 12 functions of 1 to 12 ticks, one that starts MPI: the eight longest are chosen, most first. */
TEST(the_eight_functions_that_take_most_time)
{
	OWNED_TRACE *trace = notation_trace(
		"region MPI_Init class startend\n"
		"rank 0: main@0 { MPI_Init@0-500 f1@500-501 f2@501-503 f3@503-506 f4@506-510\n"
		"  f5@510-515 f6@515-521 f7@521-528 f8@528-536 f9@536-545 f10@545-555\n"
		"  f11@555-566 f12@566-578 } @578");
	struct colouring c = { .by_function = true };
	struct err err = ERR_INIT;

	assert_true(colouring_choose(&c, trace, BASE_MEASURED, NULL, &err));
	assert_int_equal(c.n, 8);
	for (int i = 0; i < 8; i++) {
		char name[8];

		snprintf(name, sizeof name, "f%d", 12 - i);
		assert_string_equal(trace_region_name(trace, c.function[i]), name);
	}
}

/* 40 ranks count 1,000 * (rank + 1) in each of four quarters of 400 ns, in two groups. Nothing is
 * said before all members are in; then the rates of a group are the sums of its members'. */
TEST(counters_of_groups_are_sums)
{
	struct shown m;
	OWNED_TRACE *trace;
	ENDED_BY(drawn_fini) struct drawn d = drawn_new();
	struct query query;
	struct arrangement a = { .key = BY_RANGE, .range = 20 };
	struct timeline_counts *counts = timeline_counts_new(0);
	struct timeline_rows rows = { .trace = NULL };
	struct timeline_options options = { .width = 8, .height = 8, .counts = counts };
	struct err err = ERR_INIT;
	bool changed = false;

	shown_begin(&m, 40);
	const uint32_t metric =
		builder_metric(m.b, &(struct metric){ .mode = METRIC_ACCUMULATED_START,
						      .value = FIELD_UINT });
	const uint32_t set =
		builder_metric_set(m.b, &(struct metric_set){ .n = 1,
							      .metrics = &metric,
							      .recorder = UINT32_MAX });
	for (uint32_t l = 0; l < 40; l++)
		for (uint64_t i = 0; i <= 4; i++) {
			const uint64_t values[] = { set, 1000 * (l + 1) * i };

			builder_detail(m.b, m.loc[l], (int64_t)i * 100, DETAIL_METRIC, values, 2);
		}
	trace = shown_end(&m);
	query = shown_whole(trace);
	query.t0 = 0;
	query.t1 = 400;
	arrangement_toggle_counter(&a, metric);
	query.arrangement = &a;
	assert_true(timeline_rows_make(&rows, &query, d.shades, &err));
	assert_int_equal(rows.list.n, 4);
	options.rows = &rows;
	drawn_make(&d, &query, &options);
	assert_int_equal(d.p.counters.n, 2);
	assert_false(d.p.counters.data[0].summed);
	assert_false(d.p.values.data[0].known);
	while (timeline_counts_work(counts, &changed)) {}
	assert_true(changed);
	drawn_make(&d, &query, &options);
	for (int group = 0; group < 2; group++) {
		const struct timeline_counter *c = &d.p.counters.data[group];
		/* 1 + ... + 20, and 21 + ... + 40, thousands in 100 ns */
		const double rate = (group ? 610 : 210) * 1000 / 100e-9;

		assert_true(c->summed);
		for (size_t x = 0; x < 8; x++) {
			assert_true(d.p.values.data[c->first + x].known);
			assert_true(d.p.values.data[c->first + x].value > rate * (1 - 1e-9));
			assert_true(d.p.values.data[c->first + x].value < rate * (1 + 1e-9));
		}
	}
	timeline_rows_fini(&rows);
	timeline_counts_free(counts);
	arrangement_fini(&a);
}

/* 9,000 messages, one every 10 ns, are too many to be looked at: they are counted by column. */
TEST(many_messages_are_counted)
{
	enum { MESSAGES = 9000 };
	struct shown m;
	OWNED_TRACE *trace;
	ENDED_BY(drawn_fini) struct drawn d = drawn_new();
	struct query query;
	const struct timeline_options options = { .width = 37, .height = 6 };
	uint64_t all = 0;

	shown_begin(&m, 2);
	for (int i = 0; i < MESSAGES; i++) {
		const struct message_end to = { .rank = 1, .process = -1, .tag = 7, .bytes = 8 };
		const struct message_end from = { .rank = 0, .process = -1, .tag = 7, .bytes = 8 };

		builder_send(m.b, m.loc[0], 10 * i, &to);
		builder_recv(m.b, m.loc[1], 10 * i + 3, &from);
	}
	trace = shown_end(&m);
	query = shown_whole(trace);
	query.t0 = 5000;
	query.t1 = 89000;
	drawn_make(&d, &query, &options);
	assert_false(d.p.exact);
	assert_int_equal(d.p.density.n, 37);
	for (int x = 0; x < 37; x++) {
		const int64_t t0 = time_scale_edge(&d.p.scale, x);
		const int64_t t1 = time_scale_edge(&d.p.scale, x + 1);

		assert_int_equal(d.p.density.data[x], (t1 + 9) / 10 - (t0 + 9) / 10);
		all += d.p.density.data[x];
	}
	assert_int_equal(all, 8400);
}

/* A message. */
static void pass(struct shown *m, int from, int to, int64_t sent, int64_t received)
{
	const struct message_end there = { .rank = to, .process = -1, .tag = 7, .bytes = 8 };
	const struct message_end here = { .rank = from, .process = -1, .tag = 7, .bytes = 8 };

	builder_send(m->b, m->loc[from], sent, &there);
	builder_recv(m->b, m->loc[to], received, &here);
}

/* Messages that cross a window, by looking at each. */
static unsigned crossing(const struct trace *trace, int64_t t0, int64_t t1, unsigned *begin)
{
	unsigned n = 0;

	*begin = 0;
	for (uint32_t id = 0; id < trace_message_count(trace); id++) {
		const struct message *m = trace_message(trace, id);
		const int64_t sent = trace_event_time(trace, BASE_MEASURED, m->send);

		n += sent < t1 && trace_event_time(trace, BASE_MEASURED, m->recv) >= t0;
		*begin += sent >= t0 && sent < t1;
	}
	return n;
}

/* However many there were before a window: those that reach into it and begin in it count. One of
 * 4,000 is under way for a tenth of the run; in the second run each is, until its end. */
static void check_late_windows(bool all_reach_far)
{
	enum { MESSAGES = 12000, RUN = 10 * MESSAGES, WINDOWS = 40 };
	struct shown m;
	OWNED_TRACE *trace;
	ENDED_BY(drawn_fini) struct drawn d = drawn_new();
	const struct timeline_options options = { .width = 37, .height = 6 };
	struct rng rng = { 7 };
	unsigned exact = 0;

	shown_begin(&m, 2);
	for (int i = 0; i < MESSAGES; i++)
		pass(&m, 0, 1, 10 * i,
		     all_reach_far ? RUN + i : 10 * i + (i % 4000 == 1 ? RUN / 10 : 3));
	trace = shown_end(&m);
	for (int i = 0; i < WINDOWS; i++) {
		struct query query = shown_whole(trace);
		unsigned n, begin;

		query.t0 = (int64_t)rng_below(&rng, RUN - 1);
		query.t1 = query.t0 + 1 + (int64_t)rng_below(&rng, RUN - (uint32_t)query.t0);
		drawn_make(&d, &query, &options);
		n = crossing(trace, query.t0, query.t1, &begin);
		assert_int_equal(d.p.exact, n <= 8192);
		if (d.p.exact)
			assert_int_equal(d.p.messages, n);
		else
			assert_in_range(d.p.messages, n, all_reach_far ? n : begin + 8192);
		exact += d.p.exact;
	}
	assert_in_range(exact, WINDOWS / 4, WINDOWS - 2);
}

TEST(messages_of_late_windows_are_looked_at)
{
	check_late_windows(false);
	check_late_windows(true);
}

static int by_x(const void *a, const void *b)
{
	const struct timeline_arrow *x = a, *y = b;

	return x->x0 < y->x0 ? -1 : x->x0 > y->x0;
}

/* In 80 columns of 10 ns: of a message every 5 ns from 400 ns on those are drawn that leave two columns
 * between them; a choice of fewer than one in six columns would have a hole. Of the four
 * messages before, all. One to the sender itself is no line. */
TEST(a_crowd_of_messages_is_thinned)
{
	struct shown m;
	OWNED_TRACE *trace;
	ENDED_BY(drawn_fini) struct drawn d = drawn_new();
	struct query query;
	const struct timeline_options options = { .width = 80, .height = 4 };
	uint32_t ids[80];
	size_t n, crowd = 0;

	shown_begin(&m, 2);
	pass(&m, 0, 0, 2, 3);
	for (int i = 0; i < 4; i++)
		pass(&m, 0, 1, 40 + 80 * i, 45 + 80 * i);
	for (int i = 0; i < 80; i++)
		pass(&m, 0, 1, 400 + 5 * i, 400 + 5 * i);
	trace = shown_end(&m);
	query = shown_whole(trace);
	query.t0 = 0;
	query.t1 = 800;
	drawn_make(&d, &query, &options);
	assert_int_equal(d.p.messages, 84);
	n = d.p.arrows.n;
	for (size_t i = 0; i < n; i++)
		ids[i] = d.p.arrows.data[i].id;
	qsort(d.p.arrows.data, n, sizeof *d.p.arrows.data, by_x);
	for (size_t i = 0; i < n; i++) {
		const int64_t x = d.p.arrows.data[i].x0 / 2;
		if (x < 40)
			continue;
		if (crowd++)
			assert_in_range(x - d.p.arrows.data[i - 1].x0 / 2, 3, 6);
	}
	assert_int_equal(n - crowd, 4);
	/* A window that begins 8 columns later has the same lines. */
	query.t0 = 80;
	query.t1 = 880;
	drawn_make(&d, &query, &options);
	assert_int_equal(d.p.arrows.n, n - 1);
	for (size_t i = 0, k = 0; i < n; i++)
		if (trace_event_time(trace, BASE_MEASURED, trace_message(trace, ids[i])->send) > 80)
			assert_int_equal(d.p.arrows.data[k++].id, ids[i]);
}

/* 100 columns of 1 ns. The barrier's left edge goes through 20, 40, 30, its right edge through 50,
 * 50, 60; of one on ranks 0 and 2 it goes from row to row past rank 1. */
TEST(a_collective_is_one_shape)
{
	OWNED_TRACE *trace = notation_trace(
		"region MPI_Barrier class sync; comm ends 0 2\n"
		"rank 0: main@0 { MPI_Barrier@20-50 all MPI_Barrier@70-75 all comm ends } @99\n"
		"rank 1: main@0 { MPI_Barrier@40-50 all } @99\n"
		"rank 2: main@0 { MPI_Barrier@30-60 all MPI_Barrier@65-80 all comm ends } @99");
	ENDED_BY(drawn_fini) struct drawn d = drawn_new();
	struct query query = shown_whole(trace);
	const struct timeline_options options = { .width = 100, .height = 9 };
	static const int64_t first[3][3] = { { 0, 20, 50 }, { 1, 40, 50 }, { 2, 30, 60 } };
	static const int64_t second[2][3] = { { 0, 70, 75 }, { 2, 65, 80 } };
	int found = 0;

	query.t0 = 0;
	query.t1 = 100;
	drawn_make(&d, &query, &options);
	assert_int_equal(d.p.collectives, 2);
	assert_int_equal(d.p.collectives_drawn, 2);
	assert_int_equal(d.p.parts.n, 5);
	for (size_t i = 0; i < d.p.parts.n; i += d.p.parts.data[i].x0 == 40 ? 3 : 2) {
		const struct timeline_part *part = &d.p.parts.data[i];
		const bool all = part->x0 == 40;

		for (int k = 0; k < (all ? 3 : 2); k++) {
			const int64_t *expected = all ? first[k] : second[k];

			assert_int_equal(part[k].collective, part[0].collective);
			assert_int_equal(part[k].row, expected[0]);
			assert_int_equal(part[k].x0, 2 * expected[1]);
			assert_int_equal(part[k].x1, 2 * expected[2]);
		}
		found += all ? 3 : 2;
	}
	assert_int_equal(found, 5);
}

/* 0 sends to 1, which then sends to 2; before that 1 had received from 2. Under the cursor is the
 * message to 2: what 1 had received last is the one from 0, and 0 had received nothing. */
TEST(a_chain_goes_back_through_senders)
{
	struct shown m;
	OWNED_TRACE *trace;
	ENDED_BY(drawn_fini) struct drawn d = drawn_new();
	ENDED_BY(timeline_chain_fini) struct timeline_chain chain = { .n = 0 };
	struct query query;
	const struct timeline_options options = { .width = 100, .height = 9 };
	uint32_t to_2 = UINT32_MAX;

	shown_begin(&m, 3);
	pass(&m, 2, 1, 5, 10);
	pass(&m, 0, 1, 20, 30);
	pass(&m, 1, 2, 40, 60);
	pass(&m, 1, 0, 70, 80);
	trace = shown_end(&m);
	query = shown_whole(trace);
	query.t0 = 0;
	query.t1 = 100;
	drawn_make(&d, &query, &options);
	for (uint32_t id = 0; id < trace_message_count(trace); id++)
		if (trace_event_time(trace, BASE_MEASURED, trace_message(trace, id)->send) == 40)
			to_2 = id;
	timeline_chain_find(&chain, &d.p, &query, to_2, UINT32_MAX);
	assert_int_equal(chain.n, 2);
	assert_int_equal(chain.messages[0].id, to_2);
	assert_int_equal(chain.messages[0].x0, 80);
	assert_int_equal(chain.messages[0].x1, 120);
	assert_int_equal(chain.messages[1].from, 0);
	assert_int_equal(chain.messages[1].to, 1);
	assert_int_equal(chain.messages[1].x0, 40);
	/* What was received before the window is no part of it. */
	query.t0 = 35;
	query.t1 = 135;
	drawn_make(&d, &query, &options);
	timeline_chain_find(&chain, &d.p, &query, to_2, UINT32_MAX);
	assert_int_equal(chain.n, 1);
	timeline_chain_find(&chain, &d.p, &query, UINT32_MAX, UINT32_MAX);
	assert_int_equal(chain.n, 0);
}

/* ---- odd ones ---- */

static void draws_anything(struct trace *trace)
{
	struct query query = shown_whole(trace);
	struct err err = ERR_INIT;
	OWNED_STR out = STR_INIT;

	for (int i = 0; i < 4; i++) {
		assert_true(timeline_text(&query, 20, 5, i & 1, &out, &err));
		assert_true(timeline_text(&query, 200, 0, i & 1, &out, &err));
		query.t0 = -5;
		query.t1 = 3;
	}
	trace_free(trace);
}

TEST(nothing_and_next_to_nothing_can_be_drawn)
{
	struct shown m;

	shown_begin(&m, 0);
	draws_anything(shown_end(&m));
	shown_begin(&m, 3);
	draws_anything(shown_end(&m));
	shown_begin(&m, 1);
	shown_enter(&m, 0, MAIN, -7);
	draws_anything(shown_end(&m));
	shown_begin(&m, 2); /* all at one time */
	for (int i = 0; i < 200; i++)
		shown_visit(&m, i % 2, WORK, 1000, 1000);
	draws_anything(shown_end(&m));
	shown_begin(&m, 1); /* as long as 64 bits allow */
	shown_visit(&m, 0, WORK, INT64_MIN / 2 + 1, INT64_MAX / 2 - 1);
	draws_anything(shown_end(&m));
}

TEST(rows_scroll_just_enough)
{
	const struct timeline_options options = { .width = 10, .height = 5 };

	/* 20 rows, five lines: five rows are shown. */
	assert_int_equal(timeline_rows_fit(20, &options), 5);
	assert_int_equal(timeline_scroll(0, 4, 20, 0, &options), 0);
	assert_int_equal(timeline_scroll(0, 5, 20, 0, &options), 1);
	assert_int_equal(timeline_scroll(10, 9, 20, 0, &options), 9);
	assert_int_equal(timeline_scroll(19, 19, 20, 0, &options), 15);
	assert_int_equal(timeline_scroll(3, 0, 0, 0, &options), 0);
}
