/* Causes with a name: of runs whose cause is planned; and by what must hold for any run. The
 * expected shares follow from the plan: what a rank does more, times the ranks that wait for it. */
#include <math.h>
#include <string.h>

#include "harness/random.h"
#include "harness/test.h"
#include "patterns/causes/naming_answers.h"

enum { STEPS = 40, MS = 1000000, RUNS = 60 };

/* ---- vectors ---- */

/* Each step: calls[r] visits of smooth of ticks[r], then all meet. */
static void plan_smooth(struct planned_run *run, const int *calls, const int64_t *ticks)
{
	for (int step = 0; step < STEPS; step++) {
		for (int32_t r = 0; r < run->ranks; r++)
			for (int i = 0; i < calls[r]; i++)
				planned_run_work(run, r, "smooth", ticks[r]);
		planned_run_meet(run);
	}
}

TEST(more_calls)
{
	struct planned_run run;

	planned_run_init(&run, 4);
	plan_smooth(&run, (const int[]){ 4, 12, 4, 4 },
		    (const int64_t[]){ MS / 2, MS / 2, MS / 2, MS / 2 });
	struct answers a = answers_of(planned_run_end(&run));
	const struct named_cause *c = &a.names.of[0];
	assert_int_equal(a.names.n, 1);
	assert_int_equal(a.names.iterations, STEPS);
	assert_int_equal(c->kind, CAUSE_MORE_CALLS);
	/* Three ranks wait for 8 calls of half a millisecond. */
	assert_true(fabs(a.names.waiting - 3.0 * STEPS * 4 * MS) < 1);
	assert_true(fabs(c->cost - 3.0 * STEPS * 4 * MS) < 1);
	assert_true(fabs(c->calls - 12) < 1e-9 && fabs(c->others_calls - 4) < 1e-9);
	assert_true(fabs(c->time - 6 * MS) < 1 && fabs(c->others_time - 2 * MS) < 1);
	answers_fini(&a);
}

/* What is called, or sent, before the first iteration and after the last is not said to be in each. */
TEST(calls_outside_of_iterations)
{
	for (int before = 0; before <= 8; before += 2) {
		struct planned_run run;
		planned_run_init(&run, 4);
		for (int i = 0; i < before; i++)
			for (int32_t r = 0; r < 4; r++)
				planned_run_work(&run, r, "smooth", MS / 2);
		plan_smooth(&run, (const int[]){ 4, 12, 5, 6 },
			    (const int64_t[]){ MS / 2, MS / 2, MS / 2, MS / 2 });
		for (int32_t r = 0; r < 4; r++)
			planned_run_work(&run, r, "smooth", MS / 2);
		struct answers a = answers_of(planned_run_end(&run));
		const struct named_cause *c = &a.names.of[0];
		assert_int_equal(a.names.iterations, STEPS);
		assert_int_equal(c->kind, CAUSE_MORE_CALLS);
		assert_true(fabs(c->calls - 12) < 1e-9 && fabs(c->others_calls - 5) < 1e-9);
		answers_fini(&a);
	}
}

TEST(bytes_outside_of_iterations)
{
	struct planned_run run;

	planned_run_init(&run, 4);
	planned_run_send(&run, 1, 0, 400 << 20, MS);
	planned_run_receive(&run, 0, 1, 400 << 20);
	for (int step = 0; step < STEPS; step++) {
		planned_run_send(&run, 1, 0, 16 << 20, 16 * MS);
		planned_run_send(&run, 3, 2, 1 << 20, MS);
		planned_run_receive(&run, 0, 1, 16 << 20);
		planned_run_receive(&run, 2, 3, 1 << 20);
		planned_run_meet(&run);
	}
	struct answers a = answers_of(planned_run_end(&run));
	assert_int_equal(a.names.of[0].kind, CAUSE_MORE_BYTES);
	assert_int_equal(a.names.iterations, STEPS);
	assert_true(a.names.of[0].bytes == 16 << 20 && a.names.of[0].others_bytes == 1 << 20);
	answers_fini(&a);
}

TEST(longer_calls)
{
	struct planned_run run;

	planned_run_init(&run, 4);
	plan_smooth(&run, (const int[]){ 4, 4, 4, 4 },
		    (const int64_t[]){ MS / 2, MS / 2, MS / 2, MS * 3 / 2 });
	assert_first_answer(&run, CAUSE_LONGER_CALLS, 3, "smooth", 1);
}

TEST(more_and_longer)
{
	struct planned_run run;

	planned_run_init(&run, 4);
	plan_smooth(&run, (const int[]){ 8, 4, 4, 4 },
		    (const int64_t[]){ MS, MS / 2, MS / 2, MS / 2 });
	assert_first_answer(&run, CAUSE_MORE_AND_LONGER, 0, "smooth", 1);
}

/* Whether rank 3 calls it, too, for a short while. */
TEST(a_path_that_most_do_not_call)
{
	for (uint32_t some = 0; some < 2; some++) {
		struct planned_run run;
		planned_run_init(&run, 4);
		for (int step = 0; step < STEPS; step++) {
			for (int32_t r = 0; r < 4; r++)
				planned_run_work(&run, r, "smooth", 2 * MS);
			planned_run_work(&run, 2, "repair", 4 * MS);
			if (some)
				planned_run_work(&run, 3, "repair", MS / 100);
			planned_run_meet(&run);
		}
		struct answers a = answers_of(planned_run_end(&run));
		assert_int_equal(a.names.of[0].kind, CAUSE_OTHER_PATH);
		assert_int_equal(a.names.of[0].some, some);
		answers_fini(&a);
	}
}

TEST(another_path)
{
	for (int before = 0; before < 2; before++) {
		struct planned_run run;
		planned_run_init(&run, 4);
		for (int step = 0; step < STEPS; step++) {
			for (int32_t r = 0; r < 4; r++) {
				if (r == 2 && before)
					planned_run_work(&run, r, "repair", 4 * MS);
				planned_run_work(&run, r, "smooth", 2 * MS);
				if (r == 2 && !before)
					planned_run_work(&run, r, "repair", 4 * MS);
			}
			planned_run_meet(&run);
		}
		assert_first_answer(&run, CAUSE_OTHER_PATH, 2, "repair", 1);
	}
}

/* The function that is called more often is named, not the one around it. */
TEST(nested_calls)
{
	struct planned_run run;

	planned_run_init(&run, 4);
	for (int step = 0; step < STEPS; step++) {
		for (int32_t r = 0; r < 4; r++)
			planned_run_nest(&run, r, "outer", "inner", r == 1 ? 6 : 2, MS);
		planned_run_meet(&run);
	}
	assert_first_answer(&run, CAUSE_MORE_CALLS, 1, "inner", 1);
}

/* Once on the other ranks, three levels deep on rank 1, each as long: one function, not one of each
 * depth. */
TEST(recursion)
{
	struct planned_run run;
	const int depths[4] = { 1, 3, 1, 1 };

	planned_run_init(&run, 4);
	for (int step = 0; step < STEPS; step++) {
		for (int32_t r = 0; r < 4; r++)
			planned_run_recur(&run, r, "solve", depths[r], 2 * MS);
		planned_run_meet(&run);
	}
	assert_first_answer(&run, CAUSE_MORE_CALLS, 1, "solve", 1);
}

/* Rank 0 is slow, 1 waits for it, 2 for 1, 3 for 2: all of that is charged to rank 0. */
TEST(chain_of_three)
{
	struct planned_run run;

	planned_run_init(&run, 4);
	for (int step = 0; step < STEPS; step++)
		for (int32_t r = 0; r < 4; r++) {
			if (r > 0)
				planned_run_receive(&run, r, r - 1, 8);
			planned_run_work(&run, r, "produce", r == 0 ? 6 * MS : 3 * MS / 2);
			if (r < 3)
				planned_run_send(&run, r, r + 1, 8, 0);
		}
	assert_first_answer(&run, CAUSE_LONGER_CALLS, 0, "produce", 0.99);
}

static struct trace *one_bad_step(void)
{
	struct planned_run run;

	planned_run_init(&run, 4);
	for (int step = 0; step < STEPS; step++) {
		for (int32_t r = 0; r < 4; r++)
			planned_run_work(&run, r, "smooth",
					 r == 2 && step == 17 ? 150 * MS : 2 * MS);
		planned_run_meet(&run);
	}
	return planned_run_end(&run);
}

TEST(one_bad_iteration)
{
	struct answers a = answers_of(one_bad_step());
	assert_int_equal(a.names.n, 1);
	assert_int_equal(a.names.of[0].kind, CAUSE_FEW_ITERATIONS);
	assert_int_equal(a.names.of[0].location, 2);
	assert_int_equal(a.names.of[0].first, 18);
	assert_int_equal(a.names.of[0].hits, 1);
	assert_true(fabs(a.names.of[0].time - 150 * MS) < 1);
	assert_true(fabs(a.names.of[0].cost - 3.0 * 148 * MS) < 1);
	answers_fini(&a);
}

/* A window from the 11th of 2 ms on compares those in it, and knows how many are before it. */
TEST(one_bad_iteration_of_a_window)
{
	struct answers a = answers_within(one_bad_step(), 21 * MS, INT64_MAX);
	assert_int_equal(a.names.n, 1);
	assert_int_equal(a.names.of[0].kind, CAUSE_FEW_ITERATIONS);
	assert_int_equal(a.names.before + a.names.of[0].first, 18);
	assert_in_range(a.names.before, 9, 12);
	assert_int_equal(a.names.before + a.names.iterations, a.names.of_run);
	answers_fini(&a);
}

/* How many causes are named where a rank, or another one each time, takes so much longer in some
 * iterations of 2 ms, which are not regular. */
static unsigned named_of_hiccups(int hits, bool same, int64_t more)
{
	static const int at[] = { 4, 13, 24, 31, 7, 18, 20, 37 };
	struct planned_run run;
	struct answers a;
	unsigned n;

	planned_run_init(&run, 4);
	for (int step = 0; step < STEPS; step++) {
		int hit = 0;
		while (hit < hits && at[hit] != step)
			hit++;
		for (int32_t r = 0; r < 4; r++)
			planned_run_work(&run, r, "smooth",
					 2 * MS + (hit < hits && r == (same ? 2 : hit % 4) ? more
											   : 0));
		planned_run_meet(&run);
	}
	a = answers_of(planned_run_end(&run));
	n = (unsigned)a.names.n;
	answers_fini(&a);
	return n;
}

/* A machine that takes some time slices from a rank is no cause, however much longer that is than
 * an iteration; more than a machine takes is one, and so is the same rank each time. */
TEST(hiccups_are_no_cause)
{
	for (int hits = 1; hits <= 7; hits++)
		assert_int_equal(named_of_hiccups(hits, true, 20 * MS), 0);
	assert_int_equal(named_of_hiccups(4, false, 20 * MS), 0);
	/* One or two are the longest of many. */
	assert_int_equal(named_of_hiccups(1, true, 40 * MS), 0);
	assert_int_equal(named_of_hiccups(2, true, 40 * MS), 0);
	assert_int_equal(named_of_hiccups(1, true, 70 * MS), 1);
	assert_int_equal(named_of_hiccups(2, true, 70 * MS), 1);
	assert_int_equal(named_of_hiccups(3, true, 40 * MS), 1);
	assert_int_equal(named_of_hiccups(8, true, 20 * MS), 1);
	assert_int_equal(named_of_hiccups(4, false, 40 * MS), 1);
}

/* Nor are 3 ms in 20 of 320 iterations of half a millisecond; in 40 of them they are: one of 8. */
TEST(hiccups_of_a_long_run)
{
	for (int hits = 20; hits <= 40; hits += 20) {
		struct planned_run run;
		struct answers a;
		int left = hits;

		planned_run_init(&run, 4);
		for (int step = 0; step < 8 * STEPS; step++) {
			/* Not as far apart each. */
			const bool hit = left && step * 37 % (8 * STEPS) < 2 * hits && step % 2;
			left -= hit;
			for (int32_t r = 0; r < 4; r++)
				planned_run_work(&run, r, "smooth",
						 MS / 2 + (hit && r == 2 ? 3 * MS : 0));
			planned_run_meet(&run);
		}
		assert_int_equal(left, 0);
		a = answers_of(planned_run_end(&run));
		assert_int_equal(a.names.n, hits == 40);
		answers_fini(&a);
	}
}

TEST(every_fifth_iteration)
{
	struct planned_run run;

	planned_run_init(&run, 4);
	for (int step = 0; step < STEPS; step++) {
		for (int32_t r = 0; r < 4; r++)
			planned_run_work(&run, r, "smooth",
					 r == 1 && step % 5 == 4 ? 20 * MS : 2 * MS);
		planned_run_meet(&run);
	}
	struct answers a = answers_of(planned_run_end(&run));
	assert_int_equal(a.names.of[0].kind, CAUSE_FEW_ITERATIONS);
	assert_int_equal(a.names.of[0].hits, STEPS / 5);
	assert_int_equal(a.names.of[0].every, 5);
	answers_fini(&a);
}

/* Three in a row are not every single one. */
TEST(iterations_in_a_row)
{
	struct planned_run run;

	planned_run_init(&run, 4);
	for (int step = 0; step < STEPS; step++) {
		for (int32_t r = 0; r < 4; r++)
			planned_run_work(&run, r, "smooth",
					 r == 1 && step >= 10 && step < 13 ? 40 * MS : 2 * MS);
		planned_run_meet(&run);
	}
	struct answers a = answers_of(planned_run_end(&run));
	assert_int_equal(a.names.of[0].kind, CAUSE_FEW_ITERATIONS);
	assert_int_equal(a.names.of[0].hits, 3);
	assert_int_equal(a.names.of[0].every, 0);
	answers_fini(&a);
}

TEST(rotating)
{
	struct planned_run run;

	planned_run_init(&run, 4);
	for (int step = 0; step < STEPS; step++) {
		for (int32_t r = 0; r < 4; r++)
			planned_run_work(&run, r, "smooth", step % 4 == r ? 6 * MS : 2 * MS);
		planned_run_meet(&run);
	}
	assert_first_answer(&run, CAUSE_ROTATING, -1, "smooth", 1);
}

TEST(taking_turns)
{
	struct planned_run run;

	planned_run_init(&run, 4);
	for (int step = 0; step < STEPS; step++) {
		for (int32_t r = 0; r < 4; r++) {
			if (r > 0)
				planned_run_receive(&run, r, r - 1, 8);
			planned_run_work(&run, r, "section", 2 * MS);
			if (r < 3)
				planned_run_send(&run, r, r + 1, 8, 0);
		}
		planned_run_barrier(&run);
	}
	assert_first_answer(&run, CAUSE_SERIALISATION, -1, "section", 0.99);
}

TEST(late_start)
{
	struct planned_run run;

	planned_run_init(&run, 4);
	planned_run_work(&run, 2, "setup", 120 * MS);
	planned_run_barrier(&run);
	plan_smooth(&run, (const int[]){ 1, 1, 1, 1 },
		    (const int64_t[]){ 2 * MS, 2 * MS, 2 * MS, 2 * MS });
	assert_first_answer(&run, CAUSE_LATE_START, 2, "setup", 1);
}

/* 1 MiB in 20 ms beside 1 MiB in 1 ms. The receivers wait for nothing but the time of the send. */
TEST(fewer_bytes_per_second)
{
	struct planned_run run;

	planned_run_init(&run, 4);
	for (int step = 0; step < STEPS; step++) {
		planned_run_send(&run, 1, 0, 1 << 20, 20 * MS);
		planned_run_send(&run, 3, 2, 1 << 20, MS);
		planned_run_receive(&run, 0, 1, 1 << 20);
		planned_run_receive(&run, 2, 3, 1 << 20);
		planned_run_meet(&run);
	}
	assert_first_answer(&run, CAUSE_FEWER_BYTES, 1, "MPI_Send", 1);
}

TEST(more_bytes)
{
	struct planned_run run;

	planned_run_init(&run, 4);
	for (int step = 0; step < STEPS; step++) {
		planned_run_send(&run, 1, 0, 16 << 20, 16 * MS);
		planned_run_send(&run, 3, 2, 1 << 20, MS);
		planned_run_receive(&run, 0, 1, 16 << 20);
		planned_run_receive(&run, 2, 3, 1 << 20);
		planned_run_meet(&run);
	}
	assert_first_answer(&run, CAUSE_MORE_BYTES, 1, "MPI_Send", 1);
}

/* Ranks 0 and 2 first receive what 1 and 3 send last, 3 ms later, and work on it. Without work
 * between the two receives their order does not matter. */
static void plan_order(struct planned_run *run, int64_t work)
{
	for (int step = 0; step < STEPS; step++) {
		for (int32_t r = 0; r < 4; r += 2) {
			planned_run_send_tag(run, r + 1, r, 0, 8, 0);
			planned_run_work(run, r + 1, "produce", 3 * MS);
			planned_run_send_tag(run, r + 1, r, 1, 8, 0);
			planned_run_work(run, r + 1, "produce", 2 * work);
			planned_run_receive_tag(run, r, r + 1, 1, 8);
			if (work)
				planned_run_work(run, r, "consume", work);
			planned_run_receive_tag(run, r, r + 1, 0, 8);
			planned_run_work(run, r, "consume", work);
		}
		planned_run_barrier(run);
	}
}

TEST(wrong_order)
{
	struct planned_run run;

	planned_run_init(&run, 4);
	plan_order(&run, 2 * MS);
	assert_first_answer(&run, CAUSE_WRONG_ORDER, 0, "MPI_Recv", 0.99);
	planned_run_init(&run, 4);
	plan_order(&run, 0);
	struct answers a = answers_of(planned_run_end(&run));
	for (uint32_t i = 0; i < a.names.n; i++)
		assert_int_not_equal(a.names.of[i].kind, CAUSE_WRONG_ORDER);
	answers_fini(&a);
}

/* Rank 1 begins to send and computes for 5 ms; the data goes on when it is in MPI again, and takes
 * `once` longer in one step. Rank 2 is inside MPI_Recv all that time, and late. */
static void plan_no_progress(struct planned_run *run, int64_t once)
{
	planned_run_init(run, 4);
	for (int step = 0; step < STEPS; step++) {
		const int64_t more = step == STEPS / 2 ? once : 0;
		planned_run_send(run, 1, 2, 1 << 20, 0);
		for (int32_t r = 0; r < 4; r++)
			if (r != 2)
				planned_run_work(run, r, "inner", 5 * MS);
		planned_run_work(run, 1, "MPI_Wait:9", MS + more);
		run->sent[1][2][0] = run->now[1] - MS / 2;
		planned_run_receive(run, 2, 1, 1 << 20);
		planned_run_work(run, 2, "inner", 5 * MS);
		planned_run_meet(run);
	}
}

TEST(no_progress)
{
	struct planned_run run;

	plan_no_progress(&run, 0);
	assert_first_answer(&run, CAUSE_NO_PROGRESS, 1, "inner", 0.99);
}

/* One delivery that takes longer than all others together says nothing about these. */
TEST(no_progress_beside_a_hiccup)
{
	struct planned_run run;

	plan_no_progress(&run, 6 * STEPS * MS);
	struct answers a = answers_of(planned_run_end(&run));
	assert_true(a.names.n > 0);
	assert_int_equal(a.names.of[0].kind, CAUSE_NO_PROGRESS);
	assert_int_equal(a.names.of[0].location, 1);
	assert_string_equal(answer_function(&a, 0), "inner");
	answers_fini(&a);
}

/* Ranks 1 and 3 are slow by as much, and by turns the last by a microsecond: both are named. */
TEST(two_slow_ranks)
{
	struct planned_run run;

	planned_run_init(&run, 4);
	for (int step = 0; step < STEPS; step++) {
		for (int32_t r = 0; r < 4; r++)
			planned_run_work(&run, r, "smooth",
					 r % 2 == 0 ? 2 * MS
						    : 5 * MS + (step % 2 == r / 2 ? 1000 : 0));
		planned_run_meet(&run);
	}
	struct answers a = answers_of(planned_run_end(&run));
	assert_int_equal(a.names.n, 2);
	assert_int_equal(a.names.of[0].location + a.names.of[1].location, 4);
	assert_int_equal(a.names.of[0].kind, CAUSE_LONGER_CALLS);
	assert_int_equal(a.names.of[1].kind, CAUSE_LONGER_CALLS);
	assert_true(a.names.of[0].share + a.names.of[1].share > 0.99);
	answers_fini(&a);
}

/* Two phases: rank 1 is late by 4 ms in one, rank 3 by 2 ms in the other. */
TEST(two_causes)
{
	struct planned_run run;

	planned_run_init(&run, 4);
	for (int step = 0; step < STEPS; step++) {
		for (int32_t r = 0; r < 4; r++)
			planned_run_work(&run, r, "smooth", r == 1 ? 5 * MS : MS);
		planned_run_meet(&run);
		for (int32_t r = 0; r < 4; r++)
			planned_run_work(&run, r, "project", r == 3 ? 3 * MS : MS);
		planned_run_barrier(&run);
	}
	struct answers a = answers_of(planned_run_end(&run));
	assert_int_equal(a.names.n, 2);
	assert_string_equal(answer_function(&a, 0), "smooth");
	assert_string_equal(answer_function(&a, 1), "project");
	assert_true(fabs(a.names.of[0].share - 2.0 / 3) < 1e-6);
	assert_true(fabs(a.names.of[1].share - 1.0 / 3) < 1e-6);
	answers_fini(&a);
}

/* Without functions what a rank does is outside of all. */
TEST(without_iterations)
{
	struct planned_run run;

	planned_run_init(&run, 4);
	for (int32_t r = 0; r < 4; r++)
		planned_run_work(&run, r, "solve", r == 3 ? 90 * MS : 30 * MS);
	planned_run_meet(&run);
	assert_first_answer(&run, CAUSE_LONGER_CALLS, 3, "solve", 1);
}

/* ---- nothing to name ---- */

TEST(balanced)
{
	struct planned_run run;

	planned_run_init(&run, 4);
	plan_smooth(&run, (const int[]){ 2, 2, 2, 2 }, (const int64_t[]){ MS, MS, MS, MS });
	assert_no_answer(&run);
}

/* Work that varies by chance makes all wait for another rank each time: up to a tenth of it is no
 * cause. */
TEST(scatter)
{
	uint64_t seed = 1;

	for (int i = 0; i < RUNS; i++) {
		struct planned_run run;
		planned_run_init(&run, 4 + i % 5);
		for (int step = 0; step < STEPS; step++) {
			for (int32_t r = 0; r < run.ranks; r++)
				planned_run_work(&run, r, "smooth",
						 2 * MS + (int64_t)draw(&seed, MS / 5));
			planned_run_meet(&run);
		}
		assert_no_answer(&run);
	}
}

/* Of a message of 1 KiB the time is latency: its bytes are no cause. More calls of it are. */
TEST(few_bytes_are_no_transfer)
{
	const struct named_cause small = { .calls = 1, .time = 5e6, .bytes = 1024 };
	const struct named_cause large = { .calls = 1, .time = 5e6, .bytes = 65536 };
	const struct named_cause more = { .calls = 12,
					  .time = 12e6,
					  .bytes = 12 * 1024,
					  .others_calls = 4,
					  .others_time = 4e6,
					  .others_bytes = 4 * 1024 };

	assert_int_equal(cause_kind_of_transfer(&small), CAUSE_KINDS);
	assert_int_equal(cause_kind_of_transfer(&large), CAUSE_MORE_BYTES);
	assert_int_equal(cause_kind_of_transfer(&more), CAUSE_MORE_CALLS);
}
