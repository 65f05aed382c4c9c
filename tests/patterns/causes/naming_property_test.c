/* Causes with a name: what must hold for any run. */
#include <math.h>
#include <string.h>

#include "harness/random.h"
#include "harness/test.h"
#include "patterns/causes/naming_answers.h"

enum { STEPS = 40, MS = 1000000, RUNS = 60 };

/* Ranks with work and steps by chance: some slow, some with more calls, some steps bad; all with
 * `extra` more. */
static void plan_random(struct planned_run *run, uint64_t seed, int64_t extra)
{
	int32_t slow, often;
	uint32_t bad;

	slow = (int32_t)draw(&seed, 8);
	often = (int32_t)draw(&seed, 8);
	bad = draw(&seed, STEPS * 2);
	for (uint32_t step = 0; step < STEPS; step++) {
		for (int32_t r = 0; r < run->ranks; r++) {
			const int n = r == often ? 4 : 2;
			for (int i = 0; i < n; i++)
				planned_run_work(run, r, "smooth",
						 MS + (int64_t)draw(&seed, MS / 20));
			planned_run_work(run, r, "project", r == slow ? 3 * MS : MS);
			if (extra)
				planned_run_work(run, r, "extra", extra);
			if (step == bad && r == 1)
				planned_run_work(run, r, "hiccup", 60 * MS);
		}
		if (draw(&seed, 2))
			planned_run_meet(run);
		else
			planned_run_barrier(run);
	}
}

/* What is named, is done there; shares add up to no more than 1; no cost is named twice, and none
 * is more than what is charged there. */
TEST(named_causes_exist)
{
	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct planned_run run;
		double sum = 0;
		planned_run_init(&run, 2 + (int32_t)(seed % 6));
		plan_random(&run, seed, 0);
		struct answers a = answers_of(planned_run_end(&run));
		for (uint32_t i = 0; i < a.names.n; i++) {
			const struct named_cause *c = &a.names.of[i];
			sum += c->share;
			assert_true(i == 0 || c->share <= a.names.of[i - 1].share);
			assert_true(strncmp(answer_function(&a, i), "MPI_Allreduce", 13) != 0);
			for (uint32_t k = 0; k < i; k++)
				assert_false(a.names.of[k].path == c->path &&
					     (a.names.of[k].location == c->location ||
					      c->location == UINT32_MAX));
			if (c->location == UINT32_MAX)
				continue;
			assert_true(cube_value(a.cube, CUBE_TIME, c->path, c->location) > 0);
			assert_true(c->cost <=
				    cube_value(a.cube, CUBE_DELAY, c->path, c->location) + 1);
		}
		assert_true(sum <= 1 + 1e-9);
		answers_fini(&a);
	}
}

/* Renumbering the ranks renumbers the answers; doubling all times doubles the costs. */
TEST(ranks_and_units_do_not_matter)
{
	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		const int32_t ranks = 3 + (int32_t)(seed % 5);
		struct planned_run run;
		planned_run_init(&run, ranks);
		plan_random(&run, seed, 0);
		struct answers plain = answers_of(planned_run_end(&run));
		planned_run_init(&run, ranks);
		run.scale = 2;
		for (int32_t r = 0; r < ranks; r++)
			run.number[r] = ranks - 1 - r;
		plan_random(&run, seed, 0);
		struct answers other = answers_of(planned_run_end(&run));
		assert_int_equal(plain.names.n, other.names.n);
		for (uint32_t i = 0; i < plain.names.n; i++) {
			const struct named_cause *x = &plain.names.of[i], *y = &other.names.of[i];
			assert_int_equal(x->kind, y->kind);
			assert_string_equal(answer_function(&plain, i), answer_function(&other, i));
			if (x->location != UINT32_MAX)
				assert_int_equal(x->location, (uint32_t)ranks - 1 - y->location);
			assert_true(fabs(2 * x->cost - y->cost) < 1e-6 * y->cost);
			assert_true(fabs(x->share - y->share) < 1e-9);
			assert_int_equal(x->first, y->first);
			assert_int_equal(x->hits, y->hits);
		}
		answers_fini(&plain);
		answers_fini(&other);
	}
}

static void assert_same_first(const struct answers *x, const struct answers *y)
{
	const struct named_cause *a = &x->names.of[0], *b = &y->names.of[0];

	assert_true(x->names.n > 0 && y->names.n > 0);
	assert_string_equal(cause_kind_name((enum cause_kind)a->kind),
			    cause_kind_name((enum cause_kind)b->kind));
	assert_int_equal(a->location, b->location);
	assert_string_equal(answer_function(x, 0), answer_function(y, 0));
}

/* What all ranks do more makes none wait: the names stay, and what they cost. */
TEST(the_same_work_on_all_ranks)
{
	uint32_t named = 0;

	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		const int32_t ranks = 3 + (int32_t)(seed % 5);
		struct planned_run run;
		planned_run_init(&run, ranks);
		plan_random(&run, seed, 0);
		struct answers plain = answers_of(planned_run_end(&run));
		planned_run_init(&run, ranks);
		plan_random(&run, seed, MS / 2);
		struct answers more = answers_of(planned_run_end(&run));
		assert_true(fabs(plain.names.waiting - more.names.waiting) <
			    1e-6 * plain.names.waiting + 1);
		/* Thresholds are parts of the run, which is longer: a small cause may fall below. */
		if (plain.names.n && plain.names.of[0].share > 0.2) {
			assert_same_first(&plain, &more);
			assert_true(fabs(plain.names.of[0].share - more.names.of[0].share) < 1e-6);
			named++;
		}
		answers_fini(&plain);
		answers_fini(&more);
	}
	assert_true(named > RUNS / 2);
}

/* A slow rank, or another one each time: plans 2n steps; *middle: when the second half begins. */
static struct trace *plan_steps(int32_t ranks, int32_t slow, uint64_t seed, int64_t *middle)
{
	struct planned_run run;

	planned_run_init(&run, ranks);
	for (int32_t step = 0; step < 2 * STEPS; step++) {
		if (step == STEPS)
			*middle = run.now[0];
		for (int32_t r = 0; r < ranks; r++)
			planned_run_work(&run, r, "smooth",
					 (r == (slow < 0 ? step % ranks : slow) ? 6 : 2) * MS +
						 (int64_t)draw(&seed, MS / 10));
		planned_run_meet(&run);
	}
	return planned_run_end(&run);
}

/* Two halves of the iterations have the same first answer as all of them. */
TEST(halves)
{
	for (int32_t ranks = 3; ranks <= 12; ranks++)
		for (int32_t slow = -1; slow < ranks; slow += 2) {
			int64_t middle = 0;
			const uint64_t seed = (uint64_t)ranks * 100 + (uint64_t)(slow + 1);
			struct answers all = answers_of(plan_steps(ranks, slow, seed, &middle));
			struct answers first =
				answers_within(plan_steps(ranks, slow, seed, &middle), INT64_MIN,
					       middle);
			struct answers last = answers_within(plan_steps(ranks, slow, seed, &middle),
							     middle, INT64_MAX);
			assert_int_equal(all.names.of[0].kind,
					 slow < 0 ? CAUSE_ROTATING : CAUSE_LONGER_CALLS);
			assert_int_equal((int32_t)all.names.of[0].location, slow);
			assert_same_first(&all, &first);
			assert_same_first(&all, &last);
			answers_fini(&all);
			answers_fini(&first);
			answers_fini(&last);
		}
}
