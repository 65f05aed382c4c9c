/* Clocks fitted to messages, against simulated runs whose true times are known. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "correct/fit/fit.h"
#include "correct/truth.h"
#include "harness/notation.h"
#include "harness/owners.h"
#include "harness/patience.h"
#include "harness/random.h"
#include "harness/test.h"
#include "model/trace/base_write.h"
#include "simulate/clock.h"
#include "simulate/write.h"

enum runnable { RING, STENCIL, SWEEP, COLLECTIVES, FARM, CHAIN, PROGRAMS };
static const struct {
	const char *name;
	uint32_t steps;
	double work; /* seconds: some 100 ms of eight ranks */
} programs[PROGRAMS] = { { "ring", 60, 2e-4 },  { "stencil", 300, 2e-4 },
			 { "sweep", 60, 2e-4 }, { "collectives", 40, 2e-4 },
			 { "farm", 200, 3e-4 }, { "chain", 300, 2e-4 } };

enum error { PERFECT, LINEAR, SINE, SLEWS, JUMP, ERRORS };
static const char *const error_names[ERRORS] = { "perfect", "linear", "sine", "slews", "jump" };

/* What is simulated: clocks with errors, and offsets that were measured badly. */
struct simulation {
	struct settings settings;
	enum error error;
	double wrong; /* share of receives that look as if they got their sender's next message */
	struct run run;
	struct trace *trace;
};

static struct simulation simulation(enum runnable program, enum error error)
{
	struct simulation s = { .settings = SETTINGS_DEFAULTS, .error = error };

	s.settings.program = programs[program].name;
	s.settings.steps = programs[program].steps;
	s.settings.work = programs[program].work;
	s.settings.calls = 1;
	s.settings.offset_noise = 4.2e-5;
	if (error != PERFECT) {
		s.settings.clock_offset = 1e-3;
		s.settings.clock_drift = 5e-5;
	}
	if (error == SLEWS) {
		s.settings.slew = 5e-3;
		s.settings.slew_interval = 0.02;
	}
	return s;
}

/* The n-th event of a kind with that peer and tag, NULL without. */
static struct happening *nth_of(struct history *of, enum happening_kind kind, uint32_t peer,
				uint16_t tag, size_t n)
{
	struct happening *h;

	vec_each (h, &of->events)
		if (h->kind == kind && h->peer == (int32_t)peer && h->tag == tag && n-- == 0)
			return h;
	return NULL;
}

/* Tags of their own make a receive and its sender's next message a pair. */
static void mismatch(struct simulation *s)
{
	struct rng rng = { 1 };
	uint16_t tag = 100;

	for (uint32_t r = 0; r < s->run.ranks && s->wrong > 0; r++) {
		struct happening *h;
		vec_each (h, &s->run.of[r].events) {
			struct happening *next;
			size_t before = 0;
			if (h->kind != HAPPEN_RECV || h->tag >= 100 ||
			    rng_below(&rng, 10000) >= s->wrong * 10000)
				continue;
			while (nth_of(&s->run.of[r], HAPPEN_RECV, (uint32_t)h->peer, h->tag,
				      before) != h)
				before++;
			next = nth_of(&s->run.of[h->peer], HAPPEN_SEND, r, h->tag, before + 1);
			if (next)
				next->tag = h->tag = tag++;
		}
	}
}

static void simulate(struct simulation *s)
{
	struct err err = ERR_INIT;
	double length;

	assert_true(engine_run(&s->run, &s->settings, true, NULL));
	length = (double)(s->run.end - SIMULATION_START) / (double)PICO;
	if (s->error == SINE) {
		s->settings.sine = 3e-4;
		s->settings.sine_period = 1.1 * length;
	}
	if (s->error == JUMP) {
		s->settings.jump = 3e-4;
		s->settings.jump_at = length / 2;
	}
	mismatch(s);
	s->trace = write_trace(&s->run, &s->settings, false, "simulated", &err);
	assert_non_null(s->trace);
}

static void simulation_end(struct simulation *s)
{
	trace_free(s->trace);
	run_fini(&s->run);
}

struct outcome {
	struct fit_report report;
	double measured, linear, fitted; /* us, rms; negative without the base */
};

static void outcome_fini(struct outcome *o)
{
	fit_report_fini(&o->report);
}

static struct outcome fit_of(struct simulation *s, bool without_records)
{
	const struct fit_options options = { .without_records = without_records };
	struct logical *logical;
	struct err err = ERR_INIT;
	struct outcome o = { .linear = -1, .fitted = -1 };

	simulate(s);
	logical = logical_new(s->trace, NULL, &err);
	assert_non_null(logical);
	assert_true(fit_run(&o.report, s->trace, logical, &options, NULL, &err));
	o.measured = truth_rms(s->trace, &s->run, BASE_MEASURED);
	if (trace_has_base(s->trace, BASE_LINEAR))
		o.linear = truth_rms(s->trace, &s->run, BASE_LINEAR);
	if (o.report.done)
		o.fitted = truth_rms(s->trace, &s->run, BASE_FITTED);
	if (getenv("TVIEW_FIT_TABLE"))
		printf("# %-11s %-7s: %11.1f %8.2f %8.2f us, sigma %5.0f, reversed %llu -> %llu of "
		       "%llu, dropped %llu, slack %.0f %s\n",
		       s->settings.program, error_names[s->error], o.measured, o.linear, o.fitted,
		       o.report.sigma, (unsigned long long)o.report.reversed_before,
		       (unsigned long long)o.report.reversed_after,
		       (unsigned long long)o.report.edges, (unsigned long long)o.report.dropped,
		       o.report.min_slack, o.report.why);
	logical_free(logical);
	simulation_end(s);
	return o;
}

TEST(fitted_clocks_are_nearer_to_the_truth)
{
	for (int p = 0; p < CHAIN; p++)
		for (int e = 0; e < ERRORS; e++) {
			struct simulation s = simulation((enum runnable)p, (enum error)e);
			ENDED_BY(outcome_fini) struct outcome o = fit_of(&s, false);
			assert_true(o.report.done);
			assert_true(o.fitted <= o.linear / (e == SINE ? 4 : e == JUMP ? 1.5 : 2));
			if (e != JUMP)
				assert_int_equal(o.report.reversed_after, 0);
		}
}

TEST(offsets_that_were_not_measured_are_found)
{
	static const struct {
		enum runnable program;
		enum error error;
		uint32_t offsets;
		double apart, most; /* seconds; us, rms */
	} cases[] = {
		{ RING, LINEAR, 1, 1e-3, 2.6 }, /* one: rates are unknown */
		{ STENCIL, LINEAR, 0, 1e4, 2 }, /* hours apart */
		{ FARM, LINEAR, 0, 1, 2 },
		{ STENCIL, SINE, 0, 1e5, 5 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct simulation s = simulation(cases[i].program, cases[i].error);
		ENDED_BY(outcome_fini) struct outcome o = { .fitted = -1 };
		s.settings.offset_count = cases[i].offsets;
		s.settings.clock_offset = cases[i].apart;
		o = fit_of(&s, false);
		assert_true(o.report.done && o.report.prealigned);
		assert_true(o.fitted < cases[i].most);
		assert_int_equal(o.report.reversed_after, 0);
	}
}

/* Bounds from one side: clocks keep to their offsets, but for what that reverses. */
TEST(one_direction_is_only_not_reversed)
{
	for (int without = 0; without < 2; without++) {
		struct simulation s = simulation(CHAIN, LINEAR);
		ENDED_BY(outcome_fini) struct outcome o = fit_of(&s, without);
		assert_true(o.report.done);
		assert_true(o.fitted <= o.linear);
		assert_true(o.report.reversed_before > 0);
		assert_int_equal(o.report.reversed_after, 0);
		for (uint32_t c = 1; c < o.report.n_clocks; c++)
			assert_int_equal(o.report.clocks[c].state, CLOCK_ONE_SIDED);
	}
}

/* Messages in both directions bound clocks where none is reversed, too. */
TEST(where_nothing_is_reversed_messages_count_too)
{
	struct simulation s = simulation(STENCIL, LINEAR);
	ENDED_BY(outcome_fini) struct outcome o = { .fitted = -1 };

	s.settings.latency = 3e-4;
	o = fit_of(&s, false);
	assert_true(o.report.done);
	assert_int_equal(o.report.reversed_before, 0);
	assert_int_equal(o.report.reversed_after, 0);
	assert_true(o.fitted < 0.6 * o.linear);
}

/* 12 edges a clock. */
TEST(few_messages_do_no_harm)
{
	struct simulation s = simulation(RING, LINEAR);
	ENDED_BY(outcome_fini) struct outcome o = { .fitted = -1 };

	s.settings.steps = 6;
	o = fit_of(&s, false);
	assert_true(!o.report.done || o.fitted <= o.linear);
}

/* Offsets of 0, given twice. */
TEST(ranks_that_share_a_clock_are_not_fitted)
{
	const struct fit_options options = { false };
	struct err err = ERR_INIT;
	OWNED_TRACE *trace = notation_trace("ranks 3; offset 0 0 0; offset 0 1000 0\n"
					    "offset 1 0 0; offset 1 1000 0\n"
					    "offset 2 0 0; offset 2 1000 0\n"
					    "rank 0: ->1 @10 ->2 @20 <-1 @900 <-2 @910\n"
					    "rank 1: <-0 @30 ->0 @50; rank 2: <-0 @40 ->0 @60");
	FREED_BY(logical_free) struct logical *logical = logical_new(trace, NULL, &err);
	ENDED_BY(fit_report_fini) struct fit_report report;

	assert_true(fit_run(&report, trace, logical, &options, NULL, &err));
	assert_false(report.done);
	assert_non_null(strstr(report.why, "share one clock"));
	assert_int_equal(report.n_clocks, 3);
	assert_int_equal(report.clocks[0].state, CLOCK_REFERENCE);
	assert_int_equal(report.clocks[1].state, CLOCK_SHARED);
	assert_int_equal(report.clocks[2].state, CLOCK_SHARED);
}

TEST(messages_that_cannot_be_true_are_dropped)
{
	struct simulation s = simulation(SWEEP, LINEAR);
	ENDED_BY(outcome_fini) struct outcome o = { .fitted = -1 };

	s.wrong = 2e-3;
	o = fit_of(&s, false);
	assert_true(o.report.done);
	assert_true(o.report.dropped > 0 && o.report.dropped < 20);
	assert_int_equal(o.report.reversed_after, o.report.dropped);
	assert_true(o.fitted < o.linear / 10);
}

/* More messages than are kept: the clocks are found all the same. */
TEST(thinning_loses_nothing)
{
	struct simulation s = simulation(STENCIL, SINE);
	ENDED_BY(outcome_fini) struct outcome o = { .fitted = -1 };

	s.settings.steps = 8000;
	s.settings.latency = 1e-6;
	o = fit_of(&s, false);
	assert_true(o.report.done);
	assert_true(o.report.thinned > 0);
	assert_true(o.fitted < o.linear / 100);
	assert_int_equal(o.report.reversed_after, 0);
}

/* Rank 1's clock is right, but its offsets say it is 15 us behind; messages take 20 us each way.
 * The middle is at 0: every knot is -15 us, but for the 0.1 us by which the offsets pull (two
 * anchors of 2 * 15 us / (50 us)^2 against 32 barriers of curvature 3 (20 us)^2 / (20 us)^4). */
TEST(two_ranks_meet_in_the_middle)
{
	const struct fit_options options = { false };
	struct err err = ERR_INIT;
	struct notation n;
	OWNED_TRACE *trace;
	FREED_BY(logical_free) struct logical *logical;
	ENDED_BY(fit_report_fini) struct fit_report report;

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
	assert_true(report.clocks[0].shift == 0);
	assert_true(fabs(report.clocks[1].shift - 15e3) < 3e3);
	assert_true(fabs(report.clocks[1].offset) < 3e3);
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
		OWNED_TRACE *trace;
		FREED_BY(logical_free) struct logical *logical;
		ENDED_BY(fit_report_fini) struct fit_report report;
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
	ENDED_BY(simulation_end) struct simulation s = simulation(RING, JUMP);
	const struct fit_options options = { false };
	struct err err = ERR_INIT;
	ENDED_BY(fit_report_fini) struct fit_report report, again;
	FREED_BY(logical_free) struct logical *logical;

	s.settings.ticks = 10000000;
	simulate(&s);
	logical = logical_new(s.trace, NULL, &err);
	assert_true(fit_run(&report, s.trace, logical, &options, NULL, &err));
	assert_true(report.done);
	for (uint32_t l = 0; l < trace_location_count(s.trace); l++) {
		struct cursor c;
		int64_t last = INT64_MIN;
		for (bool ok = cursor_first(&c, s.trace, BASE_FITTED, l); ok;
		     ok = cursor_next(&c)) {
			assert_true(cursor_time(&c) >= last);
			last = cursor_time(&c);
			if (l == 0)
				assert_int_equal(last,
						 trace_event_time(s.trace, BASE_MEASURED, c.id));
		}
	}
	assert_true(fit_run(&again, s.trace, logical, &options, NULL, &err));
	assert_memory_equal(again.clocks, report.clocks, report.n_clocks * sizeof *report.clocks);
}

TEST(dropped_anywhere_it_leaves_nothing)
{
	ENDED_BY(simulation_end) struct simulation s = simulation(RING, SINE);
	const struct fit_options options = { false };
	struct err err = ERR_INIT;
	FREED_BY(logical_free) struct logical *logical;

	simulate(&s);
	logical = logical_new(s.trace, NULL, &err);
	for (int n = 1; n < 400; n = n * 3 / 2 + 1) {
		atomic_int left = n - 1;
		const struct progress progress = patience(&left);
		struct fit_report report;
		const bool ok = fit_run(&report, s.trace, logical, &options, &progress, &err);
		assert_int_equal(err.status, 0);
		if (ok)
			fit_report_fini(&report);
		else
			assert_false(trace_has_base(s.trace, BASE_FITTED));
		if (trace_has_base(s.trace, BASE_FITTED))
			base_drop(s.trace, BASE_FITTED);
	}
}
