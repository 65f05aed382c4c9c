/* Causes with a name in runs of more ranks: what is right for four must be for sixteen. */
#include <math.h>

#include "harness/random.h"
#include "harness/test.h"
#include "patterns/causes/naming_answers.h"

enum { STEPS = 40, MS = 1000000 };

/* The number of visits of nearly all ranks is no iteration where one rank has another one. */
TEST(more_calls_of_one_of_many)
{
	struct planned_run run;

	planned_run_init(&run, 16);
	for (int step = 0; step < STEPS; step++) {
		for (int32_t r = 0; r < 16; r++)
			for (int i = 0; i < (r == 1 ? 12 : 4); i++)
				planned_run_work(&run, r, "smooth", MS / 2);
		planned_run_meet(&run);
	}
	struct answers a = answers_of(planned_run_end(&run));
	assert_int_equal(a.names.iterations, STEPS);
	assert_int_equal(a.names.of[0].kind, CAUSE_MORE_CALLS);
	assert_int_equal(a.names.of[0].location, 1);
	answers_fini(&a);
}

/* Rank 0 serves all others, one after the other; it has not their iterations. */
TEST(master_of_many)
{
	struct planned_run run;

	planned_run_init(&run, 16);
	for (int step = 0; step < STEPS; step++)
		for (int32_t r = 1; r < 16; r++) {
			planned_run_work(&run, r, "work", MS);
			planned_run_send(&run, r, 0, 8, 0);
			planned_run_receive(&run, 0, r, 8);
			planned_run_work(&run, 0, "decide", MS * 3 / 2);
			planned_run_send(&run, 0, r, 8, 0);
			planned_run_receive(&run, r, 0, 8);
		}
	struct answers a = answers_of(planned_run_end(&run));
	assert_true(a.names.n > 0);
	assert_string_equal(answer_function(&a, 0), "decide");
	assert_int_equal(a.names.of[0].kind, CAUSE_OTHER_PATH);
	assert_int_equal(a.names.of[0].location, 0);
	/* 15 calls for each step of the others. */
	assert_true(fabs(a.names.of[0].calls - 15) < 1e-9);
	answers_fini(&a);
}

/* What a slow rank costs goes through all others, each of which is late by chance, too. */
TEST(slow_in_a_ring)
{
	uint64_t seed = 3;

	for (int i = 0; i < 10; i++) {
		bool found = false;
		struct planned_run run;
		planned_run_init(&run, 16);
		for (int step = 0; step < STEPS; step++) {
			for (int32_t r = 0; r < 16; r++)
				planned_run_work(&run, r, "smooth",
						 (r == 3 ? 5 : 2) * MS +
							 (int64_t)draw(&seed, MS * 2));
			for (int32_t r = 0; r < 16; r++) {
				planned_run_send(&run, r, (r + 1) % 16, 8, 0);
				planned_run_send(&run, r, (r + 15) % 16, 8, 0);
			}
			for (int32_t r = 0; r < 16; r++) {
				planned_run_receive(&run, r, (r + 15) % 16, 8);
				planned_run_receive(&run, r, (r + 1) % 16, 8);
			}
		}
		struct answers a = answers_of(planned_run_end(&run));
		for (uint32_t k = 0; k < a.names.n; k++) {
			assert_int_not_equal(a.names.of[k].location, UINT32_MAX);
			found = found || (a.names.of[k].kind == CAUSE_LONGER_CALLS &&
					  a.names.of[k].location == 3);
		}
		assert_true(found);
		answers_fini(&a);
	}
}

/* Ranks that do the same in functions of other names make none wait, however many wait for the
 * slowest one. */
TEST(other_functions)
{
	uint64_t seed = 7;

	for (int32_t ranks = 4; ranks <= 16; ranks *= 2) {
		struct planned_run run;
		planned_run_init(&run, ranks);
		for (int step = 0; step < STEPS; step++) {
			for (int32_t r = 0; r < ranks; r++)
				planned_run_work(&run, r, r % 2 ? "odd" : "even",
						 2 * MS + (int64_t)draw(&seed, MS * 2 / 5));
			planned_run_meet(&run);
		}
		assert_no_answer(&run);
	}
}
