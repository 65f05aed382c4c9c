/* Iterations that differ, in sentences: of planned runs, whose numbers follow from the
 * plan. */
#include "views/facts/iteration_findings.h"

#include <math.h>

#include "harness/sample.h"
#include "harness/test.h"
#include "patterns/causes/planned_run.h"
#include "views/query/analyses.h"

enum { RANKS = 4, STEPS = 40, MS = 1000000 };

/* The sentences of a plan, which is freed, each on a line. */
static void assert_sentences(struct planned_run *run, const char *expected)
{
	OWNED_TRACE *trace = planned_run_end(run);
	struct query query = sample_query(trace);
	struct phrases phrases = { .trace = trace };
	const char *lines[ITERATION_LINES];
	struct iteration_findings findings;
	struct iteration_sums *sums;
	struct err err = ERR_INIT;
	OWNED_STR text = STR_INIT;
	unsigned n;

	query.analyses = analyses_new(trace, &(struct analysis_options){ 0 });
	sums = iteration_sums_new(&query, LEVEL_MAIN, &err);
	assert_non_null(sums);
	iteration_findings_make(&findings, &query, sums);
	n = iteration_sentences(&phrases, sums, &findings, lines);
	for (unsigned i = 0; i < n; i++)
		str_add_fmt(&text, "%s\n", lines[i]);
	assert_string_equal(text.text, expected);
	iteration_findings_fini(&findings);
	iteration_sums_free(sums);
	analyses_free(query.analyses);
	phrases_fini(&phrases);
}

static void step(struct planned_run *run, int32_t slow, int64_t ticks)
{
	for (int32_t r = 0; r < run->ranks; r++)
		planned_run_work(run, r, "smooth", r == slow ? ticks : 2 * MS);
	planned_run_meet(run);
	for (int32_t r = 0; r < run->ranks; r++)
		planned_run_work(run, r, "finish", MS);
}

/* The run is measured to the begin of the last call, which takes 1 ms. */
#define HEAD(cover) "40 iterations, delimited by smooth(); " cover " % of the run.\n"

/* 2 + 1 ms and 10 us in MPI; rank 1 takes 4 ms more. */
TEST(the_same_rank)
{
	struct planned_run run;

	planned_run_init(&run, RANKS);
	for (int k = 0; k < STEPS; k++)
		step(&run, 1, 6 * MS);
	assert_sentences(
		&run,
		HEAD("99.6") "Always the same rank: rank 1 works 4.00 ms longer per iteration than the "
			     "median rank, which takes 3.01 ms.\n"
			     "Imbalance 160 ms (slowest less median rank): always the same rank "
			     "100.0 %, scatter 0.0 %, unknown 0.0 %.\n");
}

TEST(another_rank_each_time)
{
	struct planned_run run;

	planned_run_init(&run, RANKS);
	for (int k = 0; k < STEPS; k++)
		step(&run, k % RANKS, 6 * MS);
	assert_sentences(
		&run,
		HEAD("99.6") "Another rank each time: in 40 of 40 iterations it works 4.00 ms longer "
			     "than 3.01 ms.\n"
			     "Imbalance 160 ms (slowest less median rank): another rank each "
			     "time 100.0 %, scatter 0.0 %, unknown 0.0 %.\n");
}

TEST(a_single_iteration)
{
	struct planned_run run;

	planned_run_init(&run, RANKS);
	for (int k = 0; k < STEPS; k++)
		step(&run, 2, k == 17 ? 152 * MS : 2 * MS);
	assert_sentences(
		&run,
		HEAD("99.6") "A single iteration: in iteration 18 of 40 rank 2 works 150 ms longer than "
			     "3.01 ms.\n"
			     "Imbalance 150 ms (slowest less median rank): a few iterations "
			     "100.0 %, scatter 0.0 %, unknown 0.0 %.\n");
}

/* All ranks take 5 ms more in iteration 9. */
TEST(all_ranks_at_once)
{
	struct planned_run run;

	planned_run_init(&run, RANKS);
	for (int k = 0; k < STEPS; k++) {
		step(&run, -1, 0);
		for (int32_t r = 0; k == 8 && r < RANKS; r++)
			planned_run_work(&run, r, "output", 5 * MS);
	}
	assert_sentences(&run, HEAD("99.2") "No rank differs much from the others.\n"
					    "In iteration 9 all ranks work 166.1 % longer.\n");
}

TEST(none)
{
	struct planned_run run;

	planned_run_init(&run, RANKS);
	for (int i = 0; i < 20; i++)
		planned_run_meet_at(&run, 10 + i);
	assert_sentences(&run, "No iterations: the ranks do not repeat the same calls (--iteration "
			       "NAME, or :iteration NAME, takes those of a function).\n");
}
