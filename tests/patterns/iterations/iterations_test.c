/* Iterations: of runs whose loops are planned. */
#include <string.h>

#include "harness/load_trace.h"
#include "harness/notation.h"
#include "harness/random.h"
#include "harness/test.h"
#include "model/formats/load.h"
#include "patterns/causes/planned_run.h"
#include "patterns/iterations/iterations.h"

enum { MS = 1000000, RANKS = 4 };

FREES(iterations_free, struct iterations)

/* The iterations that are found, 0 none; the plan is made a trace, and freed. */
static uint32_t number_of(struct planned_run *run)
{
	OWNED_TRACE *trace = planned_run_end(run);
	FREED_BY(iterations_free)
	struct iterations *it = iterations_new(trace, BASE_MEASURED, 2, NULL);
	const struct iteration_level *level = iterations_main(it);

	return level ? level->n : 0;
}

static void work_all(struct planned_run *run, const char *function)
{
	for (int32_t r = 0; r < run->ranks; r++)
		planned_run_work(run, r, function, MS);
}

/* Neighbours exchange: to the right, then to the left. */
static void exchange(struct planned_run *run)
{
	for (int32_t r = 0; r + 1 < run->ranks; r++)
		planned_run_send(run, r, r + 1, 8, 0);
	for (int32_t r = 1; r < run->ranks; r++)
		planned_run_receive(run, r, r - 1, 8);
}

TEST(a_plain_loop)
{
	for (int steps = 8; steps <= 60; steps += 13) {
		struct planned_run run;
		planned_run_init(&run, RANKS);
		for (int step = 0; step < steps; step++) {
			work_all(&run, "smooth");
			planned_run_meet(&run);
		}
		assert_int_equal(number_of(&run), steps);
	}
}

/* They begin where the first call of each step does, and the last ends with its last. */
TEST(boundaries)
{
	struct planned_run run;
	int64_t begin[12][RANKS], end[RANKS];

	planned_run_init(&run, RANKS);
	for (int32_t r = 0; r < RANKS; r++)
		planned_run_work(&run, r, "setup", (r + 1) * MS);
	for (int step = 0; step < 12; step++) {
		memcpy(begin[step], run.now, sizeof begin[step]);
		work_all(&run, "smooth");
		planned_run_meet(&run);
		work_all(&run, "finish");
		memcpy(end, run.now, sizeof end);
	}
	OWNED_TRACE *trace = planned_run_end(&run);
	FREED_BY(iterations_free)
	struct iterations *it = iterations_new(trace, BASE_MEASURED, 1, NULL);
	assert_non_null(iterations_main(it));
	assert_int_equal(iterations_main(it)->n, 12);
	assert_false(iterations_main(it)->closing);
	for (uint32_t r = 0; r < RANKS; r++) {
		const int64_t *found = iterations_of(it, r);
		assert_non_null(found);
		for (int step = 0; step < 12; step++)
			assert_int_equal(found[step], begin[step][r]);
		assert_int_equal(found[12], end[r]);
	}
}

/* Twelve steps of 4 + r calls on rank r, after `before` of the same and before `after`: where the
 * iterations of rank 1 begin and end, nanoseconds after the loop does. */
static void find_ends(int before, int after, double *begin, double *end)
{
	struct planned_run run;
	int64_t from, to;

	planned_run_init(&run, RANKS);
	for (int i = 0; i < before; i++)
		work_all(&run, "smooth");
	from = run.now[1];
	for (int step = 0; step < 12; step++) {
		for (int32_t r = 0; r < RANKS; r++)
			for (int i = 0; i < 4 + r; i++)
				planned_run_work(&run, r, "smooth", MS);
		planned_run_meet(&run);
	}
	to = run.now[1];
	for (int i = 0; i < after; i++)
		work_all(&run, "smooth");
	OWNED_TRACE *trace = planned_run_end(&run);
	FREED_BY(iterations_free)
	struct iterations *it = iterations_new(trace, BASE_MEASURED, 1, NULL);
	const int64_t *found = iterations_of(it, 1);
	assert_non_null(found);
	assert_int_equal(iterations_main(it)->n, 12);
	*begin = (double)(found[0] - from);
	*end = (double)(found[12] - to);
}

/* What is called before the first iteration or after the last is in none, though each iteration
 * calls it. Of as much after the loop as an iteration has nobody can tell: then iterations may begin
 * with the call of all, and are as long. */
TEST(the_same_calls_outside)
{
	for (int before = 0; before <= 9; before++)
		for (int after = 0; after <= 9; after += 3) {
			double begin, end;
			find_ends(before, after, &begin, &end);
			if (after < 4)
				assert_true(begin == 0 && end == 0);
			else
				assert_true(begin == 5 * MS && end == 5 * MS);
		}
}

/* 12 steps of 5 to 15 sweeps each. */
TEST(inner_loops_of_any_length)
{
	struct planned_run run;
	uint64_t seed = 3;

	planned_run_init(&run, RANKS);
	for (int step = 0; step < 12; step++) {
		for (uint32_t sweep = 5 + draw(&seed, 11); sweep > 0; sweep--) {
			work_all(&run, "sweep");
			exchange(&run);
		}
		planned_run_meet(&run);
	}
	assert_int_equal(number_of(&run), 12);
}

TEST(a_check_every_7th)
{
	struct planned_run run;

	planned_run_init(&run, RANKS);
	for (int step = 0; step < 42; step++) {
		work_all(&run, "smooth");
		exchange(&run);
		if (step % 7 == 6)
			planned_run_meet(&run);
	}
	assert_int_equal(number_of(&run), 42);
}

/* Only rank 0 writes, every 10th. */
TEST(output_on_one)
{
	struct planned_run run;

	planned_run_init(&run, RANKS);
	for (int step = 0; step < 50; step++) {
		work_all(&run, "smooth");
		planned_run_meet(&run);
		if (step % 10 == 9)
			planned_run_work(&run, 0, "output", MS);
	}
	assert_int_equal(number_of(&run), 50);
}

/* The first rank only sends, the last only receives. */
TEST(a_pipeline)
{
	struct planned_run run;

	planned_run_init(&run, RANKS);
	for (int item = 0; item < 60; item++)
		for (int32_t r = 0; r < RANKS; r++) {
			if (r > 0)
				planned_run_receive(&run, r, r - 1, 8);
			planned_run_work(&run, r, "filter", MS);
			if (r + 1 < RANKS)
				planned_run_send(&run, r, r + 1, 8, 0);
		}
	assert_int_equal(number_of(&run), 60);
}

/* The loop's condition is tested once more at the end. */
TEST(a_test_at_the_top)
{
	struct planned_run run;

	planned_run_init(&run, RANKS);
	for (int step = 0; step < 25; step++) {
		planned_run_meet_at(&run, 3);
		work_all(&run, "smooth");
		exchange(&run);
	}
	planned_run_meet_at(&run, 3);
	assert_int_equal(number_of(&run), 25);
}

/* Calls in no order, from many lines by chance: no iterations. (Of few lines three long stretches
 * have the same calls by chance.) */
TEST(no_order)
{
	struct planned_run run;
	uint64_t seed = 5;

	planned_run_init(&run, RANKS);
	for (int i = 0; i < 60; i++) {
		work_all(&run, draw(&seed, 2) ? "smooth" : "project");
		planned_run_meet_at(&run, 10 + (int)draw(&seed, 25));
	}
	assert_int_equal(number_of(&run), 0);
}

TEST(a_straight_line)
{
	struct planned_run run;

	planned_run_init(&run, RANKS);
	for (int i = 0; i < 20; i++) {
		work_all(&run, "smooth");
		planned_run_meet_at(&run, 10 + i);
	}
	assert_int_equal(number_of(&run), 0);
}

/* A call that one rank alone makes in each step changes nothing; nor does an unrelated one. */
TEST(unrelated_calls)
{
	uint64_t seed = 11;

	for (int i = 0; i < 20; i++) {
		struct planned_run run;
		planned_run_init(&run, RANKS);
		for (int step = 0; step < 20; step++) {
			work_all(&run, "smooth");
			planned_run_work(&run, 1, "repair", MS);
			if (draw(&seed, 3) == 0)
				planned_run_work(&run, (int32_t)draw(&seed, RANKS), "hiccup", MS);
			planned_run_meet(&run);
		}
		assert_int_equal(number_of(&run), 20);
	}
}

/* Recorded runs; how often their loops run is known from their programs. */
TEST(recorded_runs)
{
	static const struct {
		const char *path;
		uint32_t n;
	} runs[] = {
		{ "traces/otf2/comd-4/traces.otf2", 40 },
		{ "traces/otf2/sweep3d-4/traces.otf2", 32 },
		{ "traces/otf2/mg.S-4/traces.otf2", 20 },
		{ "traces/stencil.trc", 20 },
		{ "traces/ring.trc", 8 },
		{ "traces/farm.trc", 0 },
		{ "traces/pi.trc", 0 },
		{ "traces/collectives.trc", 0 },
	};

	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		OWNED_TRACE *trace = load_trace(runs[i].path);
		FREED_BY(iterations_free)
		struct iterations *it = iterations_new(trace, BASE_MEASURED, 1, NULL);
		const struct iteration_level *level = iterations_main(it);

		assert_int_equal(level ? level->n : 0, runs[i].n);
	}
}

/* ---- loops one after the other ---- */

/* Three loops of about the same length, with 30, 20 and 40 steps: each is one of three, by time, and
 * begins where it did. */
TEST(three_loops)
{
	static const struct {
		uint32_t steps;
		const char *work;
		int64_t ticks;
	} loops[] = { { 30, "first", 4 * MS }, { 20, "second", 7 * MS }, { 40, "third", 3 * MS } };
	struct planned_run run;
	int64_t begin[3];

	planned_run_init(&run, RANKS);
	for (int i = 0; i < 3; i++) {
		begin[i] = run.now[1];
		for (uint32_t step = 0; step < loops[i].steps; step++) {
			for (int32_t r = 0; r < RANKS; r++)
				planned_run_work(&run, r, loops[i].work, loops[i].ticks);
			planned_run_meet_at(&run, 10 + i);
		}
	}
	OWNED_TRACE *trace = planned_run_end(&run);
	FREED_BY(iterations_free)
	struct iterations *it = iterations_new(trace, BASE_MEASURED, 2, NULL);
	size_t n, main;
	const struct iteration_level *levels = iterations_levels(it, &n, &main);

	assert_int_equal(n, 3);
	assert_int_equal(main, 1); /* 140 ms; the others have 120 */
	for (size_t i = 0; i < 3; i++) {
		assert_true(levels[i].loop);
		assert_int_equal(levels[i].n, loops[i].steps);
		assert_int_equal(iterations_at(it, i, 1)[0], begin[i]);
		for (uint32_t l = 0; l < RANKS; l++)
			assert_true(iterations_has(it, i, l));
	}
}

/* Two loops of as many steps, or of 3 % more, one after the other; which one has more calls is
 * another one on each rank. Both are found, each the same on all ranks. */
TEST(equally_frequent_loops)
{
	static const uint32_t more[] = { 0, 1, 2 };

	for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
		struct planned_run run;
		const uint32_t steps[2] = { 60, 60 + more[i] };
		int64_t begin[2][RANKS], end[2][RANKS];

		planned_run_init(&run, RANKS);
		for (int loop = 0; loop < 2; loop++) {
			memcpy(begin[loop], run.now, sizeof begin[loop]);
			for (uint32_t step = 0; step < steps[loop]; step++) {
				for (int32_t r = 0; r < RANKS; r++)
					for (int k = 0; k < (loop ? 2 + r : 5 - r); k++)
						planned_run_work(&run, r, loop ? "second" : "first",
								 MS);
				planned_run_meet_at(&run, 10 + loop);
			}
			memcpy(end[loop], run.now, sizeof end[loop]);
		}
		OWNED_TRACE *trace = planned_run_end(&run);
		FREED_BY(iterations_free)
		struct iterations *it = iterations_new(trace, BASE_MEASURED, 2, NULL);
		size_t n, main;
		const struct iteration_level *levels = iterations_levels(it, &n, &main);

		assert_int_equal(n, 2);
		for (size_t loop = 0; loop < 2; loop++) {
			/* One that covers half of the run is listed first. */
			const size_t at = levels[0].n == steps[0] ? loop : 1 - loop;
			assert_true(levels[at].loop);
			assert_int_equal(levels[at].n, steps[loop]);
			for (uint32_t r = 0; r < RANKS; r++) {
				const int64_t *found = iterations_at(it, at, r);
				assert_non_null(found);
				assert_int_equal(found[0], begin[loop][r]);
				assert_int_equal(found[steps[loop]], end[loop][r]);
			}
		}
	}
}

/* An inner loop is not one after the other, nor is a short check. */
TEST(one_loop_alone)
{
	struct planned_run run;

	planned_run_init(&run, RANKS);
	for (int step = 0; step < 30; step++) {
		work_all(&run, "smooth");
		for (int inner = 0; inner < 3; inner++)
			planned_run_meet_at(&run, 5);
		planned_run_meet_at(&run, 6);
	}
	OWNED_TRACE *trace = planned_run_end(&run);
	FREED_BY(iterations_free)
	struct iterations *it = iterations_new(trace, BASE_MEASURED, 2, NULL);
	size_t n, main;
	const struct iteration_level *levels = iterations_levels(it, &n, &main);

	assert_int_equal(levels[main].n, 30);
	for (size_t i = 0; i < n; i++)
		assert_false(levels[i].loop);
}

/* ---- named ---- */

/* Visits inside of others do not count; the last iteration ends with the last visit; a rank that
 * has another number of them than most has none. */
TEST(visits_of_a_region)
{
	OWNED_TRACE *trace = notation_trace(
		"ranks 3\nregion MPI_Init class startend; region MPI_Finalize class startend\n"
		"rank 0: main@0 { MPI_Init@0-5 step@10 { step@11-12 } @18 step@20-28 step@30-38\n"
		"  MPI_Finalize@45-46 } @50\n"
		"rank 1: main@0 { MPI_Init@0-5 step@11-19 step@21-29 step@31-39\n"
		"  MPI_Finalize@45-46 } @50\n"
		"rank 2: main@0 { MPI_Init@0-5 step@12-30 MPI_Finalize@45-46 } @50");
	static const int64_t expected[2][4] = { { 10, 20, 30, 38 }, { 11, 21, 31, 39 } };
	FREED_BY(iterations_free)
	struct iterations *it = iterations_named(trace, BASE_MEASURED, "step", NULL);
	const struct iteration_level *level = iterations_main(it);

	assert_non_null(level);
	assert_int_equal(level->n, 3);
	assert_string_equal(iterations_anchor(it), "step");
	for (uint32_t l = 0; l < 2; l++)
		for (int k = 0; k < 4; k++)
			assert_int_equal(iterations_of(it, l)[k], expected[l][k]);
	assert_null(iterations_of(it, 2));
	assert_true(iterations_has(it, 0, 1) && !iterations_has(it, 0, 2));
	/* From 5 to 45: 28 on both. */
	assert_true(level->cover > 0.699 && level->cover < 0.701);
}

/* The last one ends where MPI_Finalize begins. */
TEST(marks)
{
	OWNED_TRACE *trace = notation_trace(
		"ranks 2\nregion MPI_Init class startend; region MPI_Finalize class startend\n"
		"rank 0: main@0 { MPI_Init@0-5 mark next@10 mark next@20 MPI_Finalize@45-46 } @50\n"
		"rank 1: main@0 { MPI_Init@0-5 mark next@12 mark next@22 MPI_Finalize@47-48 } @50");
	FREED_BY(iterations_free)
	struct iterations *it = iterations_named(trace, BASE_MEASURED, "next", NULL);

	assert_non_null(iterations_main(it));
	assert_int_equal(iterations_main(it)->n, 2);
	assert_int_equal(iterations_of(it, 0)[0], 10);
	assert_int_equal(iterations_of(it, 0)[1], 20);
	assert_int_equal(iterations_of(it, 0)[2], 45);
	assert_int_equal(iterations_of(it, 1)[2], 47);
}

TEST(a_name_that_is_visited_once)
{
	OWNED_TRACE *trace = notation_trace("ranks 1\nrank 0: main@0 { step@1-2 } @9");
	FREED_BY(iterations_free)
	struct iterations *it = iterations_named(trace, BASE_MEASURED, "step", NULL);

	assert_null(iterations_main(it));
	assert_null(iterations_of(it, 0));
}

/* ---- properties ---- */

/* Without one of its four ranks a run has the same number of iterations. */
TEST(without_a_rank)
{
	static const struct {
		const char *path;
		uint32_t n;
	} runs[] = { { "traces/otf2/comd-4/traces.otf2", 40 },
		     { "traces/stencil.trc", 20 },
		     { "traces/otf2/sweep3d-4/traces.otf2", 32 } };

	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
		for (int32_t left_out = 0; left_out < 4; left_out++) {
			const struct rank_range ranks[] = { { 0, left_out - 1 },
							    { left_out + 1, 3 } };
			struct load_options options = { .jobs = 1, .no_cache = true };
			struct err err = ERR_INIT;
			options.part.ranks = ranks + (left_out == 0);
			options.part.n_ranks = 2u - (left_out == 0) - (left_out == 3);
			OWNED_TRACE *trace = trace_load(runs[i].path, &options, NULL, &err);
			assert_non_null(trace);
			FREED_BY(iterations_free)
			struct iterations *it = iterations_new(trace, BASE_MEASURED, 1, NULL);
			assert_non_null(iterations_main(it));
			assert_int_equal(iterations_main(it)->n, runs[i].n);
		}
}

/* Names of regions and files mean nothing: a plan with others has the same boundaries. */
TEST(renamed)
{
	const char *const names[2] = { "smooth", "other_function" };
	struct iterations *it[2];
	struct trace *traces[2];

	for (int i = 0; i < 2; i++) {
		struct planned_run run;
		uint64_t seed = 8;
		planned_run_init(&run, RANKS);
		for (int step = 0; step < 15; step++) {
			for (int32_t r = 0; r < RANKS; r++)
				planned_run_work(&run, r, names[i], 1 + draw(&seed, MS));
			exchange(&run);
			planned_run_meet(&run);
		}
		traces[i] = planned_run_end(&run);
		it[i] = iterations_new(traces[i], BASE_MEASURED, 1, NULL);
	}
	assert_int_equal(iterations_main(it[0])->n, 15);
	assert_int_equal(iterations_main(it[1])->n, 15);
	for (uint32_t l = 0; l < RANKS; l++)
		assert_memory_equal(iterations_of(it[0], l), iterations_of(it[1], l),
				    16 * sizeof(int64_t));
	for (int i = 0; i < 2; i++) {
		iterations_free(it[i]);
		trace_free(traces[i]);
	}
}
