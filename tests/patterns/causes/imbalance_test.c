/* Imbalance above noise: of planned runs; by how much the sums may differ is worked out by hand. */
#include "patterns/causes/imbalance.h"

#include <math.h>
#include <string.h>

#include "patterns/causes/naming_answers.h"

enum { RANKS = 4, STEPS = 40, US = 1000, MS = 1000 * US };

/* Student's t for a chance of 0.05 / 4 ranks, with 39, 19 and 9 degrees of freedom: its density,
 * integrated by the midpoint rule. */
#define T39 2.618864
#define T19 2.758586
#define T9  3.110935

static uint32_t path_of(const struct trace *trace, const char *function)
{
	for (uint32_t p = 1; p < trace_callpath_count(trace); p++)
		if (!strcmp(trace_region_name(trace, trace_callpath_region(trace, p)), function))
			return trace_callpath(trace, p)->canon;
	fail_msg("no %s", function);
	return 0;
}

/* Ends the plan; judges a function. */
static struct imbalance judged(struct planned_run *run, const char *function)
{
	struct answers a = answers_of(planned_run_end(run));
	struct imbalance of = { .path = path_of(a.trace, function), .region = UINT32_MAX };
	struct err err = ERR_INIT;

	assert_true(imbalance_judge(causes_of(a.analysis, NULL, &err), a.cube, INT64_MIN, INT64_MAX,
				    NULL, &a.names, NULL, &of, 1));
	answers_fini(&a);
	return of;
}

static void assert_kind(const struct imbalance *of, enum imbalance_kind kind)
{
	assert_string_equal(imbalance_kind_name((enum imbalance_kind)of->kind),
			    imbalance_kind_name(kind));
}

static void assert_near(double value, double expected)
{
	if (fabs(value - expected) > 1e-5 * expected)
		fail_msg("%g instead of %g", value, expected);
}

/* Each step is 2 ms on all ranks, and `more` on one of them. */
typedef int64_t more_of(int step, int32_t rank);

static void plan(struct planned_run *run, more_of *more)
{
	planned_run_init(run, RANKS);
	for (int step = 0; step < STEPS; step++) {
		for (int32_t r = 0; r < RANKS; r++)
			planned_run_work(run, r, "smooth", 2 * MS + more(step, r));
		planned_run_meet(run);
	}
}

/* 8 and 12 us in turn on rank 1: its excess beyond the mean is 3/4 of that, 300 us in all. That
 * scatters by 1.5 us around 7.5: s of the sum is 1.5 * sqrt(40 / 39) * sqrt(40) = 9.608; sums of
 * neighbours are all the same. Too little to be a cause. */
static int64_t a_little_more(int step, int32_t rank)
{
	return rank == 1 ? (step % 2 ? 8 : 12) * US : 0;
}

TEST(the_same_rank_is_above_noise)
{
	struct planned_run run;
	struct imbalance of;

	plan(&run, a_little_more);
	of = judged(&run, "smooth");
	assert_kind(&of, IMBALANCE_STEADY);
	assert_int_equal(of.location, 1);
	assert_int_equal(of.iterations, STEPS);
	assert_near(of.more, 300 * US);
	assert_near(of.noise, T39 * 1.5 * US * sqrt(40 / 39.0) * sqrt(40));
}

/* Now 10 and -10 us in turn, less 2 of 4 steps: rank 1 has 20 us in steps 0, 4, ..., and -20 + 4 in
 * steps 2, 6, ...: 40 us in all, 3/4 of it beyond the mean. */
static int64_t now_this_now_that(int step, int32_t rank)
{
	return rank != 1 ? 0 : step % 4 == 0 ? 20 * US : step % 4 == 2 ? -16 * US : 0;
}

/* The excess is 15, 0, -12, 0 us in turn: mean 0.75, mean square (225 + 144) / 4 = 92.25, so the
 * variance is 92.25 - 0.5625 = 91.6875 * 40 / 39. Pairs are 15 and -12; sums of four are all
 * the same; of pairs: mean 1.5, (13.5)^2 = 182.25 * 20 / 19, times 20: less freedom, the same
 * scatter of the sum: 20 * sqrt(182.25 / 19). */
TEST(what_scatters_more_is_not)
{
	struct planned_run run;
	struct imbalance of;

	plan(&run, now_this_now_that);
	of = judged(&run, "smooth");
	assert_kind(&of, IMBALANCE_NOISE);
	assert_near(of.more, 30 * US);
	assert_near(of.noise, T19 * 20 * sqrt(182.25 / 19) * US);
}

/* Another rank each time: no sum differs. */
static int64_t rotating(int step, int32_t rank)
{
	return step % RANKS == rank ? 100 * US : 0;
}

TEST(another_rank_each_time_is_not)
{
	struct planned_run run;
	struct imbalance of;

	plan(&run, rotating);
	of = judged(&run, "smooth");
	assert_kind(&of, IMBALANCE_NOISE);
	assert_true(of.more < 1);
}

/* 20 ms in one step, 15 beyond the mean: s of the sum is as much, whatever is added up (base/chance_test). */
static int64_t once(int step, int32_t rank)
{
	return step == 17 && rank == 2 ? 20 * MS : 0;
}

TEST(a_hiccup_is_not)
{
	struct planned_run run;
	struct imbalance of;

	plan(&run, once);
	of = judged(&run, "smooth");
	assert_kind(&of, IMBALANCE_NOISE);
	assert_near(of.more, 15 * MS);
	assert_near(of.noise, T9 * 15 * MS);
}

/* More than a hiccup, with the same noise, is a cause with a name. */
static int64_t one_bad_step(int step, int32_t rank)
{
	return step == 17 && rank == 2 ? 150 * MS : 0;
}

TEST(a_cause_with_a_name_is)
{
	struct planned_run run;
	struct imbalance of;

	plan(&run, one_bad_step);
	of = judged(&run, "smooth");
	assert_kind(&of, IMBALANCE_NAMED);
	assert_true(of.more < of.noise);
}

/* Before the first iteration; nothing is known of cores. */
TEST(outside_of_iterations_it_is_not_known)
{
	struct planned_run run;
	struct imbalance of;

	planned_run_init(&run, RANKS);
	planned_run_meet_at(&run, 3);
	for (int32_t r = 0; r < RANKS; r++)
		planned_run_work(&run, r, "setup", r == 3 ? 300 * US : 100 * US);
	planned_run_meet_at(&run, 4);
	for (int step = 0; step < STEPS; step++) {
		for (int32_t r = 0; r < RANKS; r++)
			planned_run_work(&run, r, "smooth", 2 * MS);
		planned_run_meet(&run);
	}
	of = judged(&run, "setup");
	assert_kind(&of, IMBALANCE_ONCE);
	assert_near(of.more, 150 * US);
	assert_true(of.noise <= 0 && of.iterations == 0);
}

/* Two functions, half of the ranks in each: none computes more, none waits. */
TEST(other_functions_even_out)
{
	struct planned_run run;
	struct imbalance of;

	planned_run_init(&run, RANKS);
	for (int step = 0; step < STEPS; step++) {
		for (int32_t r = 0; r < RANKS; r++)
			planned_run_work(&run, r, r % 2 ? "odd" : "even", 2 * MS);
		planned_run_meet(&run);
	}
	of = judged(&run, "odd");
	assert_kind(&of, IMBALANCE_EVENED);
	assert_near(of.more, 40 * MS);
}

/* Rank 2 takes 2 ms more in each step, rank 3 has 1 ms more to do; `without`: for how long rank 2 has
 * no core in that. */
static void plan_without(struct planned_run *run, int64_t without)
{
	planned_run_init(run, RANKS);
	planned_run_record_cores(run);
	planned_run_meet(run);
	for (int step = 0; step < STEPS; step++) {
		planned_run_work(run, 0, "smooth", 2 * MS);
		planned_run_work(run, 1, "smooth", 2 * MS);
		planned_run_work_without(run, 2, "smooth", 4 * MS, without);
		planned_run_work(run, 3, "smooth", 3 * MS);
		planned_run_meet(run);
	}
}

/* Even shares are (2 + 2 + 4 + 3) / 4 = 2.75 ms of a step, or (2 + 2 + 2 + 3) / 4 = 2.25: what is above
 * is 1.25 + 0.25 ms, or 0.75. */
TEST(numbers_are_without_waits_for_a_core)
{
	struct planned_run run;
	struct imbalance of;

	plan_without(&run, 0);
	of = judged(&run, "smooth");
	assert_int_equal(of.location, 2);
	assert_near(of.above, 1.5 * STEPS * MS);
	assert_near(of.more, 1.25 * STEPS * MS);
	assert_true(of.core >= 0 && of.core <= 0);
	plan_without(&run, 2 * MS);
	of = judged(&run, "smooth");
	assert_int_equal(of.location, 3);
	assert_near(of.above, 0.75 * STEPS * MS);
	assert_near(of.more, 0.75 * STEPS * MS);
	assert_true(of.core >= 0 && of.core <= 0);
	/* 1.5 ms: 2.5 of 2.375, and 3. */
	plan_without(&run, 1500 * US);
	of = judged(&run, "smooth");
	assert_int_equal(of.location, 3);
	assert_near(of.above, (0.125 + 0.625) * STEPS * MS);
	/* 0.5 ms: 3.5 of 2.625, and 3. */
	plan_without(&run, 500 * US);
	of = judged(&run, "smooth");
	assert_int_equal(of.location, 2);
	assert_near(of.above, (0.875 + 0.375) * STEPS * MS);
	assert_near(of.more, 0.875 * STEPS * MS);
	assert_near(of.core, 0.5 * STEPS * MS);
}
