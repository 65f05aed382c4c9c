/* The iterations of two planned runs, side by side. */
#include "views/facts/iteration_pairs.h"

#include <math.h>
#include <string.h>

#include "harness/sample.h"
#include "harness/test.h"
#include "patterns/causes/planned_run.h"
#include "views/facts/phrases.h"
#include "views/query/analyses.h"
#include "views/query/second_trace.h"

enum { RANKS = 4, MS = 1000000 };

/* Each step: all work 2 ms, rank 1 longer, in a function of this name; then they meet. */
static struct trace *steps(int n, const char *function, int64_t longer)
{
	struct planned_run run;

	planned_run_init(&run, RANKS);
	for (int k = 0; k < n; k++) {
		for (int32_t r = 0; r < RANKS; r++)
			planned_run_work(&run, r, function, 2 * MS + (r == 1 ? longer : 0));
		planned_run_meet(&run);
		for (int32_t r = 0; r < RANKS; r++)
			planned_run_work(&run, r, "finish", MS);
	}
	return planned_run_end(&run);
}

struct compared {
	struct trace *trace;
	struct query query;
	struct iteration_sums *sums;
	struct iteration_pairs pairs;
};

static void compare(struct compared *c, struct trace *old, struct trace *new)
{
	struct err err = ERR_INIT;

	c->trace = new;
	c->query = sample_query(new);
	c->query.analyses = analyses_new(new, &(struct analysis_options){ 0 });
	c->query.other = other_new(old, NULL, BASE_MEASURED);
	c->sums = iteration_sums_new(&c->query, LEVEL_MAIN, &err);
	assert_non_null(c->sums);
	assert_true(iteration_pairs_make(&c->pairs, &c->query, c->sums, &err));
}

static void compared_fini(struct compared *c)
{
	iteration_pairs_fini(&c->pairs);
	iteration_sums_free(c->sums);
	other_free(c->query.other);
	analyses_free(c->query.analyses);
	trace_free(c->trace);
}

static void assert_sentence(const struct compared *c, const char *expected)
{
	struct phrases phrases = { .trace = c->trace };

	assert_string_equal(iteration_pairs_sentence(&phrases, &c->pairs), expected);
	phrases_fini(&phrases);
}

/* Rank 1 takes 1 ms longer than it did, the others wait so much longer. */
TEST(iteration_by_iteration)
{
	struct compared c;

	compare(&c, steps(20, "smooth", 0), steps(24, "smooth", MS));
	assert_int_equal(c.pairs.n, 20);
	for (uint32_t r = 0; r < RANKS; r++) {
		for (uint32_t k = 0; k < 20; k++) {
			const struct iteration_sum *old = iteration_pairs_old(&c.pairs, r, k);
			const struct iteration_sum *new = &c.sums->of[r][k];
			assert_non_null(old);
			assert_int_equal(iteration_work(new) - iteration_work(old),
					 r == 1 ? MS : 0);
			assert_int_equal((int64_t) new->waiting - (int64_t)old->waiting,
					 r == 1 ? 0 : MS);
		}
		assert_null(iteration_pairs_old(&c.pairs, r, 20));
		assert_int_equal(iteration_pairs_change(&c.pairs, r, ITERATION_WORK), r == 1);
		assert_int_equal(iteration_pairs_change(&c.pairs, r, ITERATION_WAITING), r != 1);
	}
	assert_sentence(&c, "Compared with the old run, iterations 1 to 20: it has 20, this one "
			    "24.");
	compared_fini(&c);
}

TEST(the_other_way_round)
{
	struct compared c;

	compare(&c, steps(20, "smooth", MS), steps(20, "smooth", 0));
	assert_int_equal(iteration_pairs_change(&c.pairs, 1, ITERATION_WORK), -1);
	assert_int_equal(iteration_pairs_change(&c.pairs, 2, ITERATION_WORK), 0);
	assert_sentence(&c, "Compared with the same iterations of the old run.");
	compared_fini(&c);
}

/* Iterations that begin at another function are not compared. */
TEST(another_anchor)
{
	struct compared c;

	compare(&c, steps(20, "relax", 0), steps(20, "smooth", 0));
	assert_int_equal(c.pairs.n, 0);
	assert_null(iteration_pairs_old(&c.pairs, 0, 0));
	assert_int_equal(iteration_pairs_change(&c.pairs, 0, ITERATION_WORK), 0);
	assert_sentence(&c, "The old run has no iterations that begin at the same call: nothing is "
			    "compared.");
	compared_fini(&c);
}
