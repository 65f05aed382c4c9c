/* Bounds of clocks against simulated runs whose true times are known: at least 99 of 100 true times
 * are inside, whatever clocks, links and offset records are, with and without records; 95 where
 * clocks are not fitted, and their steps and bends not taken out. And they are not endless. TVIEW_FIT_TABLE=1 prints the shares
 * and widths (doc/measured/accuracy.md). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "correct/clock_cases.h"
#include "correct/correct.h"
#include "correct/truth.h"
#include "harness/rounds.h"
#include "harness/test.h"
#include "simulate/write.h"

enum { SEEDS = 8 };

/* Steps that are found or not, beside the usual cases. */
static const struct clock_case steps[] = {
	{ .name = "step of -500 us", .step = -500e-6 },
	{ .name = "step of 20 ms", .step = 20e-3 },
	{ .name = "step of 1 s", .step = 1 },
	{ .name = "step of 60 us", .step = 60e-6 },
	{ .name = "step of the reference", .step = 500e-6, .step_rank = -1 },
};
enum { STEPS = sizeof steps / sizeof *steps };

enum way { BOTH, WITHOUT_RECORDS, WITHOUT_FIT, WAYS };
static const char *const way_names[] = { "", ", without records", ", without a fit" };

static struct truth_bounds bounds_of(const struct clock_case *c, uint64_t seed, enum way way)
{
	struct settings s = clock_case_settings(c, seed);
	struct correct_options options = CORRECT_DEFAULTS;
	struct err err = ERR_INIT;
	struct corrections *corrections;
	struct truth_bounds bounds;
	struct trace *trace;
	struct run run;

	assert_true(engine_run(&run, &s, true, NULL));
	s.offset_count = way == WITHOUT_RECORDS ? 0 : 2;
	trace = write_trace(&run, &s, false, "simulated", &err);
	assert_non_null(trace);
	options.want = BASE_CLC;
	options.presync = way == WITHOUT_FIT ? PRESYNC_OFFSETS : PRESYNC_AUTO;
	corrections = correct_run(trace, &options, NULL, &err);
	assert_non_null(corrections);
	assert_true(corrections->room.done);
	bounds = truth_inside(trace, &run, corrections, trace_default_base(trace));
	corrections_free(corrections);
	trace_free(trace);
	run_fini(&run);
	return bounds;
}

static void look_at(const struct clock_case *c, enum way way)
{
	struct truth_bounds sum = { 0, 0, 0 };
	const double aim = way == WITHOUT_FIT ? 0.95 : 0.99;
	const uint64_t n = rounds(SEEDS);
	double least = 1;

	for (uint64_t seed = 1; seed <= n; seed++) {
		const struct truth_bounds b = bounds_of(c, seed, way);
		sum.events += b.events / (double)n;
		sum.messages += b.messages / (double)n;
		sum.half += b.half / (double)n;
		if (b.events < 0.95 || b.messages < 0.95)
			print_message("# %s%s, seed %d: %.4f inside, of messages %.4f\n", c->name,
				      way_names[way], (int)seed, b.events, b.messages);
		least = fmin(least, b.events);
	}
	if (getenv("TVIEW_FIT_TABLE"))
		printf("| %s%s | %.4f | %.4f | %.4f | %.3g |\n", c->name, way_names[way],
		       sum.events, least, sum.messages, sum.half);
	if (sum.events < aim || sum.messages < 0.99)
		print_message("# %s%s: %.4f, of messages %.4f\n", c->name, way_names[way],
			      sum.events, sum.messages);
	/* A mean of all seeds; one may have less. */
	assert_true(n < SEEDS || (sum.events >= aim && sum.messages >= 0.99));
}

TEST(true_times_are_inside)
{
	for (size_t i = 0; i < clock_cases_n + STEPS; i++)
		for (int way = 0; way < WAYS; way++)
			look_at(i < clock_cases_n ? &clock_cases[i] : &steps[i - clock_cases_n],
				(enum way)way);
}

/* Of two clocks by the shortest paths between them, which for 20 ranks in collectives lead over
 * these alone: more than ROOM_PAIRS clocks have no message of their own that is kept. */
TEST(differences_of_two_clocks_are_inside)
{
	static const struct {
		struct clock_case of;
		uint32_t ranks;
		double narrower; /* at most */
	} cases[] = { { { .name = "ring" }, 6, 1 },
		      { { .name = "one-sided", .latency = 5e-6, .down = 200e-6 }, 6, 1 },
		      { { .name = "collectives", .program = "collectives" }, 20, 0.9 },
		      { { .name = "grid", .program = "stencil" }, 16, 0.9 },
		      { { .name = "step", .step = 500e-6 }, 6, 1 } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct settings s = clock_case_settings(&cases[i].of, 3);
		struct correct_options options = CORRECT_DEFAULTS;
		struct err err = ERR_INIT;
		struct corrections *corrections;
		struct truth_pairs pairs;
		struct trace *trace;
		struct run run;
		s.ranks = cases[i].ranks;
		assert_true(engine_run(&run, &s, true, NULL));
		trace = write_trace(&run, &s, false, "simulated", &err);
		assert_non_null(trace);
		options.want = BASE_CLC;
		corrections = correct_run(trace, &options, NULL, &err);
		assert_non_null(corrections);
		pairs = truth_between(trace, &run, corrections, trace_default_base(trace));
		if (pairs.inside < 0.99 || pairs.narrower > cases[i].narrower)
			print_message("# %s: %.4f inside, %.2f as wide\n", cases[i].of.name,
				      pairs.inside, pairs.narrower);
		assert_true(pairs.inside >= 0.99);
		assert_true(pairs.narrower <= cases[i].narrower);
		corrections_free(corrections);
		trace_free(trace);
		run_fini(&run);
	}
}

/* Clocks that drift more than bounds usually allow are told, where messages or the best times show
 * it; bounds are then made for it. Where links take milliseconds nothing may be shown. */
TEST(drift_that_bounds_do_not_allow_is_told)
{
	static const struct {
		struct clock_case of;
		bool told; /* of one clock at least */
		double inside;
	} cases[] = {
		{ { .name = "usual" }, false, 0.99 },
		{ { .name = "a fast clock", .drift = 5e-3 }, true, 0.99 },
		{ { .name = "fast clocks, one way", .drift = 2e-3, .program = "chain" },
		  true,
		  0.95 },
		{ { .name = "fast clocks, two islands", .drift = 2e-3, .islands = 2 }, true, 0.99 },
		{ { .name = "fast and slow by turns", .slew = 6e-3 }, true, 0.95 },
		{ { .name = "the same unseen", .sine = 2e-4, .latency = 3e-3 }, false, 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (uint64_t seed = 1; seed <= rounds(4); seed++) {
			struct settings s = clock_case_settings(&cases[i].of, seed);
			struct correct_options options = CORRECT_DEFAULTS;
			struct err err = ERR_INIT;
			struct corrections *c;
			struct trace *trace;
			struct run run;
			const double most =
				s.clock_drift + s.slew + 2 * M_PI * s.sine / s.sine_period;
			bool told = false;
			assert_true(engine_run(&run, &s, true, NULL));
			trace = write_trace(&run, &s, false, "simulated", &err);
			assert_non_null(trace);
			options.want = BASE_CLC;
			c = correct_run(trace, &options, NULL, &err);
			assert_non_null(c);
			for (uint32_t k = 1; k < c->room.bounds.clocks; k++) {
				const struct room_clock *of = &c->room.bounds.of[k];
				told = told || of->drift >= DRIFT_DOUBTED;
				assert_true(of->drift != DRIFT_SHOWN);
				/* Two clocks differ by twice what one does. */
				assert_true(of->least <= 2 * most);
			}
			assert_int_equal(told, cases[i].told);
			assert_true(told || c->room.bounds.drift <= DRIFT_MOST);
			assert_true(
				truth_inside(trace, &run, c, trace_default_base(trace)).events >=
				cases[i].inside);
			corrections_free(c);
			trace_free(trace);
			run_fini(&run);
		}
}

/* Bounds of 20 us and 10 us more on average each way are half a round trip a hop. */
TEST(bounds_are_of_the_size_of_latencies)
{
	for (int way = 0; way < WAYS; way++) {
		const struct truth_bounds b = bounds_of(&clock_cases[0], 1, (enum way)way);
		assert_true(b.half > 20 && b.half < 80);
	}
}
