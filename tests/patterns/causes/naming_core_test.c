/* Causes with a name where ranks waited for a core, in planned runs. */
#include <math.h>

#include "harness/test.h"
#include "patterns/causes/naming_answers.h"

enum { STEPS = 40, MS = 1000000 };

/* Each step another rank takes twice as long, or rank 3 does, and has no core for so much of that. */
static void plan_core_waits(struct planned_run *run, bool rotating, int64_t without)
{
	planned_run_init(run, 4);
	planned_run_record_cores(run);
	planned_run_meet(run);
	for (int step = 0; step < STEPS; step++) {
		for (int32_t r = 0; r < 4; r++)
			if (r == (rotating ? step % 4 : 3))
				planned_run_work_without(run, r, "smooth", 4 * MS, without);
			else
				planned_run_work(run, r, "smooth", 2 * MS);
		planned_run_meet(run);
	}
}

/* Three ranks wait in each step for one that has no core: all of that is the machine's. */
static void assert_machine_alone(struct planned_run *run, double waiting)
{
	struct answers a = answers_of(planned_run_end(run));
	const struct named_cause *c = &a.names.of[0];

	assert_int_equal(a.names.n, 1);
	assert_int_equal(c->kind, CAUSE_MACHINE);
	assert_int_equal(c->location, UINT32_MAX);
	assert_true(fabs(a.names.waiting - waiting) < 1);
	assert_true(fabs(c->cost - a.names.waiting) < 1);
	assert_true(fabs(c->share - 1) < 1e-6);
	answers_fini(&a);
}

TEST(waiting_for_a_core_is_no_work)
{
	struct planned_run run;

	plan_core_waits(&run, true, 0);
	assert_first_answer(&run, CAUSE_ROTATING, -1, "smooth", 1);
	plan_core_waits(&run, true, 2 * MS);
	assert_machine_alone(&run, 3.0 * STEPS * 2 * MS);
	plan_core_waits(&run, false, 0);
	assert_first_answer(&run, CAUSE_LONGER_CALLS, 3, "smooth", 1);
	plan_core_waits(&run, false, 2 * MS);
	assert_machine_alone(&run, 3.0 * STEPS * 2 * MS);
}

/* Half of what a rank does more is work; the time that is told is without the other half. */
TEST(work_beside_waiting_for_a_core)
{
	struct planned_run run;

	plan_core_waits(&run, false, MS);
	struct answers a = answers_of(planned_run_end(&run));
	assert_int_equal(a.names.n, 2);
	assert_true(fabs(a.names.of[0].share - 0.5) < 1e-6);
	assert_int_equal(a.names.of[1].kind, CAUSE_MACHINE);
	assert_true(fabs(a.names.of[1].share - 0.5) < 1e-6);
	assert_int_equal(a.names.of[0].kind, CAUSE_LONGER_CALLS);
	assert_int_equal(a.names.of[0].location, 3);
	assert_true(fabs(a.names.of[0].time - 3 * MS) < 1);
	assert_true(fabs(a.names.of[0].others_time - 2 * MS) < 1);
	answers_fini(&a);
}

/* All but the last one have no core in each step: they take as long as it, which works more. */
TEST(work_that_waits_for_a_core_hides)
{
	struct planned_run run;

	planned_run_init(&run, 4);
	planned_run_record_cores(&run);
	planned_run_meet(&run);
	for (int step = 0; step < STEPS; step++) {
		for (int32_t r = 0; r < 3; r++)
			planned_run_work_without(&run, r, "smooth", 4 * MS, 2 * MS);
		planned_run_work(&run, 3, "smooth", 5 * MS);
		planned_run_meet(&run);
	}
	struct answers a = answers_of(planned_run_end(&run));
	assert_int_equal(a.names.of[0].location, 3);
	assert_true(fabs(a.names.of[0].others_time - 2 * MS) < 1);
	answers_fini(&a);
}

/* Rank 3 has no core in three of four steps, in `smooth`, or in each of two functions in turn: what both
 * take at least in a step is work, and what is beyond is waiting. */
static void plan_two_functions(struct planned_run *run, int64_t more)
{
	planned_run_init(run, 4);
	planned_run_record_cores(run);
	planned_run_meet(run);
	for (int step = 0; step < STEPS; step++) {
		const int64_t smooth = step % 4 == 1 || step % 4 == 2 ? 3 * MS : 0;
		const int64_t norm = step % 4 == 3 ? 3 * MS : 0;
		for (int32_t r = 0; r < 4; r++) {
			planned_run_work_without(run, r, "smooth", 2 * MS + (r == 3 ? smooth : 0),
						 r == 3 ? smooth : 0);
			planned_run_work_without(run, r, "norm",
						 2 * MS + (r == 3 ? norm + more : 0),
						 r == 3 ? norm : 0);
		}
		planned_run_meet(run);
	}
}

TEST(a_core_wait_in_one_of_two_functions)
{
	struct planned_run run;

	plan_two_functions(&run, 0);
	assert_machine_alone(&run, 3.0 * STEPS * 3 * 3 / 4 * MS);
	/* 40 ms of 130 are work. */
	plan_two_functions(&run, MS);
	struct answers a = answers_of(planned_run_end(&run));
	const struct named_cause *c = &a.names.of[1];
	assert_int_equal(a.names.n, 2);
	assert_int_equal(a.names.of[0].kind, CAUSE_MACHINE);
	assert_int_equal(c->kind, CAUSE_LONGER_CALLS);
	assert_int_equal(c->location, 3);
	assert_true(fabs(c->time - 3 * MS) < 1);
	assert_true(fabs(c->others_time - 2 * MS) < 1);
	answers_fini(&a);
}

/* Ranks work one after the other, 2 ms each, and have no core for 1 ms more of each turn: none does more
 * than another, two thirds of what they wait for is work, and the rest is the machine's. */
TEST(turns_beside_waiting_for_a_core)
{
	struct planned_run run;

	planned_run_init(&run, 4);
	planned_run_record_cores(&run);
	planned_run_meet(&run);
	for (int step = 0; step < STEPS; step++) {
		for (int32_t r = 0; r < 4; r++) {
			if (r > 0)
				planned_run_receive(&run, r, r - 1, 8);
			if (step < 4)
				planned_run_work(&run, r, "section", 2 * MS);
			else
				planned_run_work_without(&run, r, "section", 3 * MS, MS);
			if (r < 3)
				planned_run_send(&run, r, r + 1, 8, 0);
		}
		planned_run_meet(&run);
	}
	struct answers a = answers_of(planned_run_end(&run));
	assert_int_equal(a.names.n, 2);
	assert_int_equal(a.names.of[0].kind, CAUSE_SERIALISATION);
	assert_string_equal(answer_function(&a, 0), "section");
	assert_true(fabs(a.names.of[0].share - (4 * 2. + 36 * 2) / (4 * 2. + 36 * 3)) < 0.02);
	assert_int_equal(a.names.of[1].kind, CAUSE_MACHINE);
	assert_true(fabs(a.names.of[0].share + a.names.of[1].share - 1) < 0.02);
	answers_fini(&a);
}

/* Ranks have no core before they iterate. Then in each step another one works 2.25 ms instead of 2: that
 * is a ninth of an iteration, however long they waited before. */
TEST(waits_before_iterations_do_not_make_these_shorter)
{
	struct planned_run run;

	planned_run_init(&run, 8);
	planned_run_record_cores(&run);
	planned_run_meet(&run);
	for (int32_t r = 0; r < 8; r++)
		planned_run_work_without(&run, r, "setup", 200 * MS, 190 * MS);
	planned_run_barrier(&run);
	for (int step = 0; step < STEPS; step++) {
		for (int32_t r = 0; r < 8; r++)
			planned_run_work(&run, r, "smooth", 2 * MS + (r == step % 8 ? MS / 4 : 0));
		planned_run_meet(&run);
	}
	assert_no_answer(&run);
}
