/* What is said of corrections: the views' exports, sentences of the overview and of `check`, parts
 * of the title, all of reports that are made up here, on the trace of tests/harness/sample.h (ticks
 * are microseconds). Rank 1's clock is put 5 us ahead by the made-up logical clock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "harness/sample.h"
#include "harness/test.h"
#include "model/trace/base_write.h"
#include "views/facts/corrections_facts.h"
#include "views/report/check.h"

enum { PLACES = 2 };

struct made_up {
	struct trace *trace;
	struct corrections c;
	struct check_pair before, after;
	struct clc_location moves[PLACES];
	struct overhead_location overhead[PLACES];
	struct fit_clock clocks[PLACES];
	struct query query;
};

static void add_clc(struct trace *trace)
{
	struct err err = ERR_INIT;

	assert_true(base_begin(trace, BASE_CLC, &err));
	for (uint32_t l = 0; l < PLACES; l++) {
		struct cursor c;
		int64_t t[BLOCK_EVENTS];
		uint32_t n = 0, block = 0;
		for (bool ok = cursor_first(&c, trace, BASE_MEASURED, l); ok;
		     ok = cursor_next(&c)) {
			block = c.id / BLOCK_EVENTS;
			t[n++] = cursor_time(&c) + 5 * l;
		}
		assert_true(n > 0 && n < BLOCK_EVENTS);
		assert_true(base_put(trace, BASE_CLC, block, t, &err));
	}
	base_commit(trace, BASE_CLC);
}

/* 10 messages, 3 reversed by 7 us at most and 4 us in the mean, 4 violating; one violating by 1 us
 * is left. */
static void add_checks(struct made_up *m)
{
	const struct check_sum sum = { .messages = 10,
				       .reversed = 3,
				       .violating = 4,
				       .worst = 7,
				       .sum = 12,
				       .worst_violation = 8,
				       .send = 3,
				       .recv = 64 };
	const struct check_sum left = {
		.messages = 10, .violating = 1, .worst_violation = 1, .send = 3, .recv = 64
	};

	m->c.checked[BASE_MEASURED] = m->c.checked[BASE_CLC] = true;
	m->before = (struct check_pair){ 0, 1, sum };
	m->after = (struct check_pair){ 1, 0, left };
	m->c.check[BASE_MEASURED] = (struct check){ .all = sum, .pairs = &m->before, .n_pairs = 1 };
	m->c.check[BASE_MEASURED].by_class[LOGICAL_BARRIER] = sum;
	m->c.check[BASE_CLC] = (struct check){ .all = left, .pairs = &m->after, .n_pairs = 1 };
}

static void add_overhead(struct made_up *m)
{
	struct overhead_report *o = &m->c.overhead;

	m->overhead[0].time = (struct overhead_sum){ 1000, 900, 850, 950, 50 };
	m->overhead[1].time = (struct overhead_sum){ 1000, 700, 690, 710, 60 };
	m->overhead[1].event = 6e-9;
	m->overhead[1].carried = 0.25;
	m->overhead[1].sampled = 0.1;
	*o = (struct overhead_report){ .done = true,
				       .source = OVERHEAD_SAMPLED,
				       .event = 6e-9,
				       .event_low = 5e-9,
				       .event_high = 9e-9,
				       .loop = 9.8e-9,
				       .copy_cost = -1,
				       .run = { 1000, 900, 850, 950, 110 },
				       .carried_share = 0.125,
				       .sampled_share = 0.1,
				       .ratio = 0.25,
				       .n_locations = PLACES,
				       .locations = m->overhead };
}

static int make(void **state)
{
	struct made_up *m = xcalloc(1, sizeof *m);

	m->trace = views_sample();
	add_clc(m->trace);
	add_checks(m);
	m->moves[1] = (struct clc_location){ 2, 12, 5, 64, 5 };
	m->c.clc = (struct clc_report){ .done = true,
					.passes = 1,
					.gamma = 0.99999,
					.violated_all = 2,
					.corrected = 12,
					.corrected_final = 12,
					.events = 24,
					.max_error = 5,
					.max_slope = 0.01,
					.messages_moved = 1,
					.n_locations = PLACES,
					.locations = m->moves };
	m->clocks[0] = (struct fit_clock){ .locations = 1, .state = CLOCK_REFERENCE };
	m->clocks[1] = (struct fit_clock){
		.location = 1, .locations = 1, .state = CLOCK_ONE_SIDED, .edges = 9, .shift = 3
	};
	m->c.fit = (struct fit_report){ .n_clocks = PLACES, .clocks = m->clocks };
	m->c.lmin = (struct lmin){ .inter = 1, .inter_source = LMIN_HEADER };
	strcpy(m->c.notes[0], "A note, with a comma.");
	add_overhead(m);
	m->query = sample_query(m->trace);
	m->query.corrections = &m->c;
	*state = m;
	return 0;
}

static int done(void **state)
{
	trace_free(((struct made_up *)*state)->trace);
	free(*state);
	return 0;
}

FIXTURE(make, done)

static char *export(struct made_up *m, const char *view)
{
	return sample_export(view, &m->query, EXPORT_CSV, 0);
}

static void expect(struct made_up *m, const char *view, const char *wanted)
{
	OWNED char *text = export(m, view);

	assert_string_equal(text, wanted);
}

static bool has(struct made_up *m, const char *view, const char *part)
{
	OWNED char *text = export(m, view);

	return strstr(text, part) != NULL;
}

/* ---- keys and values ---- */

static const char first_keys[] = "key,value\n"
				 "messages,10\n"
				 "reversed,3\n"
				 "violations,4\n"
				 "presync,messages\n"
				 "fitted_reversed,\n"
				 "fitted_max_shift_s,\n"
				 "clc_violated,2\n"
				 "clc_corrected,12\n"
				 "clc_max_error_s,0.000005000\n"
				 "clc_passes,1\n"
				 "clc_max_slope,0.01\n"
				 "violations_after,1\n"
				 "overhead_event_s,6e-09\n"
				 "measured_s,0.001000000\n"
				 "compensated_s,0.000900000\n"
				 "lower_s,0.000850000\n"
				 "upper_s,0.000950000\n"
				 "carried_share,0.125\n"
				 "sampled_share,0.1\n";

TEST_WITH(keys_that_come_first, struct made_up *m)
{
	static const char *const others[] = {
		"\nbase_before,measured\nbase,clc\n",
		"\nworst_reversed_s,0.000007000\n",
		"\nmean_reversed_s,0.000004000\n",
		"\nlmin_inter_source,header\n",
		"\nclc_gamma,0.99999\n",
		"\nclc_max_move_s,0.000005000\n",
		"\nremoved_share,0.1\n",
		"\noverhead_copy_s,\n",
		"\nnote,\"A note, with a comma.\"\n",
	};
	OWNED char *text = NULL;

	m->c.presync = PRESYNC_MESSAGES;
	text = export(m, "corrections");
	assert_memory_equal(text, first_keys, sizeof first_keys - 1);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_non_null(strstr(text, others[i]));
}

/* Every key stands there once, but for the notes. */
TEST_WITH(keys_are_different, struct made_up *m)
{
	OWNED char *text = export(m, "corrections");
	ENDED_BY(csv_free) struct csv csv = csv_parse(text);

	assert_int_equal(csv.n_columns, 2);
	for (size_t i = 1; i < csv.n_rows; i++)
		for (size_t k = 1; k < i; k++)
			assert_true(strcmp(csv.rows[i][0], csv.rows[k][0]) != 0 ||
				    strcmp(csv.rows[i][0], "note") == 0);
}

TEST_WITH(nothing_is_known, struct made_up *m)
{
	static const char *const views[] = { "corrections-classes",  "corrections-pairs",
					     "corrections-clocks",   "corrections-moves",
					     "corrections-overhead", "corrections-regions" };
	m->query.corrections = NULL;
	OWNED char *text = export(m, "corrections");
	ENDED_BY(csv_free) struct csv csv = csv_parse(text);
	for (size_t i = 1; i <= 19; i++)
		assert_string_equal(csv.rows[i][1], "");
	assert_non_null(strstr(text, "note,\"No corrections: "));
	for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
		OWNED char *empty = export(m, views[i]);
		assert_int_equal(strchr(empty, '\n') + 1 - empty, strlen(empty));
	}
}

/* What is read first: figures in words. */
TEST_WITH(the_summary_begins_with_answers, struct made_up *m)
{
	static const char *const answers[CORRECTIONS_FIGURES] = {
		"1 of 10 messages arrives faster than the minimum latency",
		"3 of 10 messages arrive before being sent, by up to 7 us (measured times)",
		"1 receive moved after its send (logical clock)",
		"5 us by the logical clock (1 message)",
		"10.0 % of the run (5.0 to 15.0 %); compensated times are without it",
	};
	OWNED char *text = sample_export("corrections", &m->query, EXPORT_TEXT, 0);
	struct phrases p = { .trace = m->trace };

	assert_non_null(strstr(text, "IN SHORT"));
	assert_true(strstr(text, "IN SHORT") < strstr(text, "CLOCK CONDITION"));
	assert_non_null(strstr(text, "violations left"));
	for (int f = 0; f < CORRECTIONS_FIGURES; f++)
		assert_string_equal(corrections_figure(&p, (enum corrections_figure)f, &m->c),
				    answers[f]);
	/* What is right is said to be, and what is not known is not said to be right. */
	m->c.check[BASE_CLC].all.violating = 0;
	assert_string_equal(corrections_figure(&p, FIGURE_LEFT, &m->c),
			    "none: every message arrives after it was sent");
	m->c.checked[BASE_CLC] = false;
	assert_string_equal(corrections_figure(&p, FIGURE_LEFT, &m->c),
			    "not known: messages were not checked");
	m->c.overhead.ratio = 31;
	assert_string_equal(corrections_figure(&p, FIGURE_OVERHEAD, &m->c),
			    "too large to estimate the time without it");
	phrases_fini(&p);
}

/* What people read is the same without unknown figures, under headings, two in a line. */
TEST_WITH(summary, struct made_up *m)
{
	OWNED char *text = sample_export("corrections", &m->query, EXPORT_TEXT, 0);

	assert_non_null(strstr(text, "CLOCK CONDITION"));
	assert_non_null(strstr(text, "3 before, 0 after"));
	assert_non_null(strstr(text, "900 us, at least 850 us, at most 950 us"));
	assert_non_null(strstr(text, "6 ns, classes 5 ns to 9 ns, loop 9.8 ns"));
	assert_non_null(strstr(text, "1 us (header)"));
	assert_null(strstr(text, "copying a byte"));
}

/* ---- tables ---- */

TEST_WITH(tables, struct made_up *m)
{
	expect(m, "corrections-classes",
	       "base,class,messages,reversed,violations,worst_reversed_s,mean_reversed_s,"
	       "worst_violation_s\n"
	       "measured,all,10,3,4,0.000007000,0.000004000,0.000008000\n"
	       "measured,barrier,10,3,4,0.000007000,0.000004000,0.000008000\n"
	       "clc,all,10,0,1,,,0.000001000\n");
	/* What violates afterwards only is there too. */
	expect(m, "corrections-pairs",
	       "from,to,messages,reversed,violations,worst_reversed_s,mean_reversed_s,"
	       "worst_violation_s,reversed_after,violations_after,worst_violation_after_s\n"
	       "rank 0,rank 1,10,3,4,0.000007000,0.000004000,0.000008000,0,0,\n"
	       "rank 1,rank 0,10,0,0,,,,0,1,0.000001000\n");
	expect(m, "corrections-clocks",
	       "location,state,offsets,offset_s,drift_ppm,error_low_s,error_high_s,"
	       "error_low_worst_s,error_high_worst_s,shift_s,edges,round_trip_s,steps,step_s,"
	       "island_zero,island_low_s,island_high_s,drift_bound,drift_allowed_ppm,"
	       "drift_least_ppm,drift_most_ppm\n"
	       "rank 0,reference,0,0.000000000,0,,,,,,0,,0,,,,,,,,\n"
	       "rank 1,one-sided,0,0.000005000,0,,,,,,9,,0,,,,,,,,\n");
	expect(m, "corrections-moves",
	       "location,time_s,move_s,event,region,violated,corrected\n"
	       "rank 1,0.000005000,0.000005000,enter,main,2,12\n");
	expect(m, "corrections-overhead",
	       "location,measured_s,compensated_s,difference_s,share,lower_s,upper_s,removed_share,"
	       "records,event_s,carried_share,sampled_share\n"
	       "rank 0,0.001000000,0.000900000,0.000100000,0.25,"
	       "0.000850000,0.000950000,0.1,50,0,0,0\n"
	       "rank 1,0.001000000,0.000700000,0.000300000,0.75,"
	       "0.000690000,0.000710000,0.3,60,6e-09,0.25,0.1\n");
}

/* Waiting times need not lie between the times of the bounds: 600 of a wait whose bounds are 650
 * and
 * 610. */
TEST_WITH(bounds_hold_all_three, struct made_up *m)
{
	m->overhead[0].time = (struct overhead_sum){ 700, 600, 650, 610, 40 };
	assert_true(has(m, "corrections-overhead", ",0.000600000,0.000650000,0.142857143,40,"));
}

TEST_WITH(worst_events, struct made_up *m)
{
	struct err err = ERR_INIT;
	struct table *pairs = corrections_pairs_new(&m->query, &err);
	struct table *moves = corrections_moves_new(&m->query, &err);
	const struct row_thing pair = table_thing(pairs, 0);

	assert_int_equal(pair.id, 3);
	assert_int_equal(pair.of, 64);
	assert_int_equal(moves->rows, 1);
	assert_int_equal(table_thing(moves, 0).id, 64);
	table_free(pairs);
	table_free(moves);
}

/* ---- how far figures can be believed ---- */

TEST_WITH(no_claim, struct made_up *m)
{
	m->c.overhead.ratio = 12;
	assert_int_equal(corrected_of(m->trace, &m->c).trust, OVERHEAD_GREY);
	assert_true(corrected_of(m->trace, &m->c).overhead);
	m->c.overhead.ratio = 31;
	assert_int_equal(corrected_of(m->trace, &m->c).trust, OVERHEAD_UNCLAIMED);
	assert_true(has(m, "corrections",
			"\nmeasured_s,0.001000000\ncompensated_s,\nlower_s,\nupper_s,\n"));
	assert_true(has(m, "corrections", "\nremoved_share,\n"));
	assert_true(has(m, "corrections-overhead", "rank 0,0.001000000,,,,,,,50,"));
	/* A location by itself. */
	m->c.overhead.ratio = 1;
	m->overhead[1].ratio = 31;
	assert_true(has(m, "corrections-overhead", "rank 0,0.001000000,0.000900000,"));
	assert_true(has(m, "corrections-overhead", "rank 1,0.001000000,,,,,,,60,"));
}

/* ---- sentences ---- */

static void moves(const struct made_up *m, enum time_base base, bool brief, const char *wanted)
{
	OWNED_STR text = STR_INIT;

	corrected_moves(&m->c, m->trace, base, brief, &text);
	assert_string_equal(text.text, wanted);
}

static void overhead(const struct made_up *m, enum time_base base, bool brief, const char *wanted)
{
	const struct corrected facts = corrected_of(m->trace, &m->c);
	OWNED_STR text = STR_INIT;

	corrected_overhead(&facts, base, brief, &text);
	assert_string_equal(text.text, wanted);
}

TEST_WITH(title, struct made_up *m)
{
	moves(m, BASE_MEASURED, false, "");
	moves(m, BASE_CLC, false, "1 message moved (max 5 us)");
	moves(m, BASE_COMPENSATED, true, "moved 1");
	overhead(m, BASE_CLC, false, "overhead 10.0 % [5.0..15.0]");
	overhead(m, BASE_COMPENSATED, false, "overhead -10.0 % [5.0..15.0]");
	overhead(m, BASE_COMPENSATED, true, "overhead -10.0 %");
	m->c.clc.done = false;
	m->c.fit.done = true;
	m->c.fit.max_shift = 3;
	moves(m, BASE_FITTED, false, "clocks moved (max 3 us)");
	moves(m, BASE_FITTED, true, "clocks moved");
	m->c.overhead.ratio = 40;
	overhead(m, BASE_COMPENSATED, false, "");
}

TEST_WITH(overview, struct made_up *m)
{
	m->query.base = BASE_CLC;
	assert_true(has(m, "overview", "3 of 10"));
	assert_true(has(m, "overview", "7 us; after"));
	assert_true(has(m, "overview", "Measurement overhead: 10.0 % of the run (5.0 to 15.0 %)"));
}

TEST_WITH(check_tells, struct made_up *m)
{
	char text[2048] = "";
	FILE *out = fmemopen(text, sizeof text, "w");

	assert_non_null(out);
	check_report(&m->query, out);
	fclose(out);
	assert_non_null(strstr(text,
			       "Measured times: 3 of 10 messages (with collectives) arrive before "
			       "they are sent, by up to 7 us; 1 more arrives faster than the "
			       "minimum latency.\n"
			       "After correction (clc times): 0 of 10; 1 more arrives faster than "
			       "the minimum latency.\n"));
}
