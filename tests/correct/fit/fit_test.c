/* Clocks fitted to messages, against simulated runs whose true times are known. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "correct/fit/fit.h"
#include "correct/fit/fit_aid.h"
#include "harness/notation.h"
#include "harness/owners.h"
#include "harness/test.h"
#include "model/trace/base_write.h"

struct outcome {
	struct fit_report report;
	double measured, linear, fitted; /* us, rms; negative without the base */
};

static struct outcome fit_of(const struct aid_run *run, bool even_if_poor)
{
	const struct fit_options options = { .even_if_poor = even_if_poor };
	struct err err = ERR_INIT;
	struct aid_truth truth;
	struct trace *trace = aid_make(run, &truth);
	struct logical *logical;
	struct outcome outcome = { .linear = -1, .fitted = -1 };

	assert_non_null(trace);
	logical = logical_new(trace, NULL, &err);
	assert_non_null(logical);
	assert_true(fit_run(&outcome.report, trace, logical, &options, NULL, &err));
	outcome.measured = aid_rms(trace, BASE_MEASURED, &truth);
	if (trace_has_base(trace, BASE_LINEAR))
		outcome.linear = aid_rms(trace, BASE_LINEAR, &truth);
	if (outcome.report.done)
		outcome.fitted = aid_rms(trace, BASE_FITTED, &truth);
	if (getenv("TVIEW_FIT_TABLE"))
		printf("# %-11s %-7s %4u ranks: %11.1f %8.2f %8.2f us, sigma %5.0f, reversed %llu -> %llu of "
		       "%llu, dropped %llu, slack %.0f %s\n",
		       aid_program_name(run->program), aid_clocks_name(run->clocks), run->ranks,
		       outcome.measured, outcome.linear, outcome.fitted, outcome.report.sigma,
		       (unsigned long long)outcome.report.reversed_before,
		       (unsigned long long)outcome.report.reversed_after,
		       (unsigned long long)outcome.report.edges,
		       (unsigned long long)outcome.report.dropped, outcome.report.min_slack,
		       outcome.report.why);
	logical_free(logical);
	trace_free(trace);
	aid_truth_fini(&truth);
	return outcome;
}

TEST(fitted_clocks_are_nearer_to_the_truth)
{
	for (int p = 0; p < AID_ONE_WAY; p++)
		for (int c = 0; c < AID_CLOCKS; c++) {
			struct aid_run run = AID_RUN;
			struct outcome o;
			run.program = (enum aid_program)p;
			run.clocks = (enum aid_clocks)c;
			o = fit_of(&run, false);
			assert_true(o.report.done);
			assert_true(o.fitted <= o.linear / (c == AID_SINUS  ? 4
							    : c == AID_STEP ? 1.5
									    : 2));
			if (c != AID_STEP)
				assert_int_equal(o.report.reversed_after, 0);
			fit_report_fini(&o.report);
		}
}

TEST(offsets_that_nobody_measured_are_found)
{
	static const struct {
		enum aid_program program;
		enum aid_clocks clocks;
		int offsets;
		double apart, most; /* ns; us, rms */
	} cases[] = {
		{ AID_RING, AID_LINEAR, 1, 1e6, 2 },     /* one: rates are unknown */
		{ AID_STENCIL, AID_LINEAR, 0, 1e13, 2 }, /* hours apart */
		{ AID_FARM, AID_LINEAR, 0, 1e9, 2 },
		{ AID_STENCIL, AID_SINUS, 0, 1e14, 5 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct aid_run run = AID_RUN;
		struct outcome o;
		run.program = cases[i].program;
		run.clocks = cases[i].clocks;
		run.offsets = cases[i].offsets;
		run.apart = cases[i].apart;
		o = fit_of(&run, false);
		assert_true(o.report.done && o.report.prealigned);
		assert_true(o.fitted < cases[i].most);
		assert_int_equal(o.report.reversed_after, 0);
		fit_report_fini(&o.report);
	}
}

TEST(what_cannot_be_told_stays_as_it_is)
{
	struct aid_run run = AID_RUN;
	struct outcome o;

	run.program = AID_ONE_WAY; /* bounds from one side */
	run.clocks = AID_LINEAR;
	o = fit_of(&run, false);
	assert_false(o.report.done);
	assert_non_null(strstr(o.report.why, "too few messages go in both directions"));
	fit_report_fini(&o.report);
	o = fit_of(&run, true); /* asked for all the same: no harm */
	assert_true(o.report.done);
	assert_true(o.fitted <= o.linear);
	fit_report_fini(&o.report);

	run.program = AID_RING;
	run.noise = 0; /* nothing reversed */
	o = fit_of(&run, false);
	assert_false(o.report.done);
	assert_non_null(strstr(o.report.why, "no message is reversed"));
	assert_int_equal(o.report.reversed_before, 0);
	fit_report_fini(&o.report);

	run.noise = 42e3;
	run.rounds = 3; /* 14 edges a clock */
	o = fit_of(&run, false);
	assert_true(!o.report.done || o.fitted <= o.linear);
	fit_report_fini(&o.report);
}

TEST(ranks_that_share_a_clock_are_not_fitted)
{
	struct aid_run run = AID_RUN;
	struct outcome o;
	uint32_t shared = 0;

	run.offsets = -1; /* given as 0 */
	o = fit_of(&run, false);
	assert_false(o.report.done);
	assert_non_null(strstr(o.report.why, "share one clock"));
	for (uint32_t c = 0; c < o.report.n_clocks; c++)
		shared += o.report.clocks[c].state == CLOCK_SHARED;
	assert_int_equal(shared, run.ranks - 1);
	assert_int_equal(o.report.clocks[0].state, CLOCK_REFERENCE);
	fit_report_fini(&o.report);
}

TEST(messages_that_cannot_be_true_are_dropped)
{
	struct aid_run run = AID_RUN;
	struct outcome o;

	run.program = AID_STENCIL;
	run.clocks = AID_LINEAR;
	run.wrong = 1e-3;
	o = fit_of(&run, false);
	assert_true(o.report.done);
	assert_true(o.report.dropped > 0 && o.report.dropped < 20);
	assert_int_equal(o.report.reversed_after, o.report.dropped);
	assert_true(o.fitted < o.linear / 10);
	fit_report_fini(&o.report);
}

/* More messages than are kept: the clocks are found all the same. */
TEST(thinning_loses_nothing)
{
	struct aid_run run = AID_RUN;
	struct outcome o;

	run.program = AID_STENCIL;
	run.clocks = AID_SINUS;
	run.rounds = 8000;
	o = fit_of(&run, false);
	assert_true(o.report.done);
	assert_true(o.report.thinned > 0);
	assert_true(o.fitted < o.linear / 100);
	assert_int_equal(o.report.reversed_after, 0);
	fit_report_fini(&o.report);
}

/* Rank 1's clock is right, but its offsets say it is 15 us behind; messages take 20 us each way.
 * The middle is at 0: every knot is -15 us, but for the 0.1 us by which the offsets pull (two
 * anchors of 2 * 15 us / (50 us)^2 against 32 barriers of curvature 3 (20 us)^2 / (20 us)^4). */
TEST(two_ranks_meet_in_the_middle)
{
	const struct fit_options options = { false };
	struct err err = ERR_INIT;
	struct notation n;
	ENDED_BY(fit_report_fini) struct fit_report report;
	FREED_BY(logical_free) struct logical *logical;
	OWNED_TRACE *trace;

	notation_begin(&n, 1000000000);
	notation_write(&n, "ranks 2; offset 0 0 0; offset 0 20000000 0\n"
			   "offset 1 0 15000; offset 1 20000000 15000");
	/* 200 times there and back; one answer is quicker, so that a message is reversed. */
	for (int i = 0; i < 200; i++) {
		const int t = i * 100000;
		notation_write(&n, "rank 0: ->1 0B @%d <-1 0B @%d; rank 1: <-0 0B @%d ->0 0B @%d",
			       t, i == 100 ? t + 64000 : t + 70000, t + 20000, t + 50000);
	}
	trace = notation_finish(&n);
	logical = logical_new(trace, NULL, &err);
	assert_true(fit_run(&report, trace, logical, &options, NULL, &err));
	assert_true(report.done);
	assert_int_equal(report.reversed_before, 1);
	assert_int_equal(report.reversed_after, 0);
	assert_int_equal(report.clocks[1].state, CLOCK_TWO_SIDED);
	/* That one message, 14 us, draws its place by 3 us at most. */
	for (uint32_t k = 0; k < report.knots; k++) {
		assert_true(report.clocks[0].correction[k] == 0);
		assert_true(fabs(report.clocks[1].correction[k] + 15e3) < 3e3);
	}
	assert_true(fabs(report.clocks[1].offset) < 3e3);
	assert_true(fabs(report.clocks[1].uncertainty - 20e3) < 1e3);
}

/* Two ranks of a node, messages of 20 us each way, every 20th one of 3 us, an offset that is noise
 * or not: what measured times and round trips allow decides. */
TEST(round_trips_tell_noise)
{
	static const struct {
		int offset, rtt; /* ns */
		int rounds;
		bool tied;
	} cases[] = {
		{ 15000, 40000, 200, true }, { 15000, 20000, 200, false },
		{ 15000, -1, 200, true },    { 250000, -1, 200, true },
		{ 350000, -1, 200, false },  { 350000, 800000, 200, true },
		{ 15000, 40000, 10, false }, /* too few */
	};

	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		const struct fit_options options = { false };
		struct err err = ERR_INIT;
		struct notation n;
		ENDED_BY(fit_report_fini) struct fit_report report;
		FREED_BY(logical_free) struct logical *logical;
		OWNED_TRACE *trace;
		notation_begin(&n, 1000000000);
		notation_write(&n,
			       "ranks 2; node n1 0 1; offset 0 0 0; offset 0 20000000 0\n"
			       "offset 1 0 %d %d; offset 1 20000000 %d %d",
			       cases[k].offset, cases[k].rtt, cases[k].offset, cases[k].rtt);
		for (int i = 0; i < cases[k].rounds; i++) {
			const int t = i * 100000, latency = i % 20 == 0 ? 3000 : 20000;
			notation_write(
				&n, "rank 0: ->1 0B @%d <-1 0B @%d; rank 1: <-0 0B @%d ->0 0B @%d",
				t, t + 50000 + latency, t + latency, t + 50000);
		}
		trace = notation_finish(&n);
		logical = logical_new(trace, NULL, &err);
		assert_true(fit_run(&report, trace, logical, &options, NULL, &err));
		assert_int_equal(strstr(report.why, "share one clock") != NULL, cases[k].tied);
		if (cases[k].tied) {
			assert_true(report.done);
			assert_int_equal(report.n_clocks, 2);
			assert_int_equal(report.clocks[1].state, CLOCK_SHARED);
			assert_true(report.clocks[1].offset == 0);
			assert_true(report.min_slack == 3000);
			assert_true(report.reversed_before > 0);
			assert_int_equal(report.reversed_after, 0);
		}
	}
}

/* The reference keeps its times to the last bit, no clock runs backwards, and a second run gives
 * the same. */
TEST(column_keeps_order_and_reference)
{
	struct aid_run run = AID_RUN;
	const struct fit_options options = { false };
	struct err err = ERR_INIT;
	ENDED_BY(fit_report_fini) struct fit_report report, again;
	ENDED_BY(aid_truth_fini) struct aid_truth truth;
	FREED_BY(logical_free) struct logical *logical;
	OWNED_TRACE *trace;

	run.clocks = AID_STEP;
	run.tick = 100;
	trace = aid_make(&run, &truth);
	logical = logical_new(trace, NULL, &err);
	assert_true(fit_run(&report, trace, logical, &options, NULL, &err));
	assert_true(report.done);
	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		struct cursor c;
		int64_t last = INT64_MIN;
		for (bool ok = cursor_first(&c, trace, BASE_FITTED, l); ok; ok = cursor_next(&c)) {
			assert_true(cursor_time(&c) >= last);
			last = cursor_time(&c);
			if (l == 0)
				assert_int_equal(last,
						 trace_event_time(trace, BASE_MEASURED, c.id));
		}
	}
	assert_true(fit_run(&again, trace, logical, &options, NULL, &err));
	assert_memory_equal(again.clocks, report.clocks, report.n_clocks * sizeof *report.clocks);
}

static bool stop(void *context, const char *what, uint64_t done, uint64_t all)
{
	int *steps = context;

	(void)what, (void)done, (void)all;
	return --*steps > 0;
}

TEST(dropped_anywhere_it_leaves_nothing)
{
	struct aid_run run = AID_RUN;
	const struct fit_options options = { false };
	struct err err = ERR_INIT;
	ENDED_BY(aid_truth_fini) struct aid_truth truth;
	FREED_BY(logical_free) struct logical *logical;
	OWNED_TRACE *trace;

	run.clocks = AID_SINUS;
	run.rounds = 60;
	trace = aid_make(&run, &truth);
	logical = logical_new(trace, NULL, &err);
	for (int n = 1; n < 400; n = n * 3 / 2 + 1) {
		int steps = n;
		const struct progress progress = { .step = stop, .context = &steps };
		struct fit_report report;
		const bool ok = fit_run(&report, trace, logical, &options, &progress, &err);
		assert_int_equal(err.status, 0);
		if (ok)
			fit_report_fini(&report);
		else
			assert_false(trace_has_base(trace, BASE_FITTED));
		if (trace_has_base(trace, BASE_FITTED))
			base_drop(trace, BASE_FITTED);
	}
}
