/* Computational imbalance (section 6.7) of a call path that all visit, one that two visit and one
 * that a single process visits; by hand. */
#include "harness/made_run.h"
#include "harness/notation.h"
#include "harness/owners.h"
#include "harness/test.h"
#include "patterns/patterns.h"

enum { RANKS = 4 };

/* Call paths 1 "all", 2 "some", 3 "one", 4 MPI_Barrier. */
static struct trace *run(void)
{
	struct trace *trace = notation_trace("region MPI_Barrier class sync\n"
					     "rank 0: 'all'@0-0 some@1-1 one@2-2 MPI_Barrier@3-3\n"
					     "rank 1: 'all'@0-0 some@1-1 one@2-2 MPI_Barrier@3-3\n"
					     "rank 2: 'all'@0-0 some@1-1 one@2-2 MPI_Barrier@3-3\n"
					     "rank 3: 'all'@0-0 some@1-1 one@2-2 MPI_Barrier@3-3");

	assert_int_equal(trace_callpath_count(trace), 5);
	return trace;
}

static void spend(struct cube *cube, uint32_t path, const double *times)
{
	for (uint32_t l = 0; l < RANKS; l++) {
		cube_add(cube, CUBE_TIME, path, l, times[l]);
		cube_add(cube, CUBE_VISITS, path, l, times[l] > 0);
	}
}

static void assert_row(const struct cube *cube, enum cube_metric metric, uint32_t path,
		       const double *values)
{
	for (uint32_t l = 0; l < RANKS; l++)
		if (cube_value(cube, metric, path, l) != values[l])
			fail_msg("%s, call path %u, location %u: %g",
				 cube_metric_info(metric)->name, path, l,
				 cube_value(cube, metric, path, l));
}

#define ROW(...) ((const double[RANKS]){ __VA_ARGS__ })

TEST(deviations_are_from_the_mean_over_all)
{
	OWNED_TRACE *trace = run();
	FREED_BY(cube_free) struct cube *cube = cube_new(trace);

	spend(cube, 1, ROW(10, 20, 30, 40));
	spend(cube, 2, ROW(0, 12, 0, 4));
	spend(cube, 3, ROW(0, 0, 8, 0));
	spend(cube, 4, ROW(100, 1, 1, 1));
	cube_settle(cube);
	balance_pattern.add_settled(cube);
	/* mean 25 */
	assert_row(cube, CUBE_IMBALANCE_ABOVE, 1, ROW(0, 0, 5, 15));
	assert_row(cube, CUBE_IMBALANCE_BELOW, 1, ROW(15, 5, 0, 0));
	assert_row(cube, CUBE_IMBALANCE, 1, ROW(15, 5, 5, 15));
	assert_row(cube, CUBE_IMBALANCE_BELOW_BYPASS, 1, ROW(0, 0, 0, 0));
	/* mean 4 */
	assert_row(cube, CUBE_IMBALANCE_ABOVE, 2, ROW(0, 8, 0, 0));
	assert_row(cube, CUBE_IMBALANCE_BELOW, 2, ROW(4, 0, 4, 0));
	assert_row(cube, CUBE_IMBALANCE_BELOW_BYPASS, 2, ROW(4, 0, 4, 0));
	assert_row(cube, CUBE_IMBALANCE_BELOW_SINGULARITY, 2, ROW(0, 0, 0, 0));
	assert_row(cube, CUBE_IMBALANCE_ABOVE_SINGLE, 2, ROW(0, 0, 0, 0));
	/* mean 2 */
	assert_row(cube, CUBE_IMBALANCE_ABOVE, 3, ROW(0, 0, 6, 0));
	assert_row(cube, CUBE_IMBALANCE_ABOVE_SINGLE, 3, ROW(0, 0, 6, 0));
	assert_row(cube, CUBE_IMBALANCE_BELOW, 3, ROW(2, 2, 0, 2));
	assert_row(cube, CUBE_IMBALANCE_BELOW_SINGULARITY, 3, ROW(2, 2, 0, 2));
	/* not computation */
	assert_row(cube, CUBE_IMBALANCE, 4, ROW(0, 0, 0, 0));
	/* what was there still is */
	assert_row(cube, CUBE_TIME, 4, ROW(100, 1, 1, 1));
	assert_true(cube_total(cube, CUBE_TIME, NULL) == 227);
}

/* Deviations up to twice the error of estimated times, half of them, are none. */
TEST(what_is_in_gaps_is_no_imbalance)
{
	OWNED_TRACE *trace = run();
	FREED_BY(cube_free) struct cube *cube = cube_new(trace);

	spend(cube, 1, ROW(0, 0, 0, 40));
	cube_add(cube, CUBE_ESTIMATED, 1, 3, 40);
	spend(cube, 2, ROW(0, 0, 0, 40));
	cube_add(cube, CUBE_ESTIMATED, 2, 3, 20);
	cube_settle(cube);
	balance_pattern.add_settled(cube);
	/* 30 above the mean; 40 + 10 estimated, then 20 + 5 */
	assert_row(cube, CUBE_IMBALANCE_ABOVE, 1, ROW(0, 0, 0, 0));
	assert_row(cube, CUBE_IMBALANCE_BELOW, 1, ROW(0, 0, 0, 0));
	assert_row(cube, CUBE_IMBALANCE_ABOVE, 2, ROW(0, 0, 0, 30));
	assert_row(cube, CUBE_IMBALANCE_BELOW, 2, ROW(10, 10, 10, 0));
}

/* What a device does is not computation of its host: two ranks with 10 and 20, mean 15, and a
 * stream with 60 below the same call path. */
TEST(streams_take_no_part)
{
	struct made_run run;
	uint32_t process;

	made_run_begin(&run, CLASS_P2P);
	made_run_write(&run, "threads 2 rank 0; rank 1: 'all'@0-20\n"
			     "location 0: 'all'@0-10; location 1: 'all'@0-60");
	process = builder_process(run.b, &(struct process){ .creator = UINT32_MAX });
	builder_location_owner(run.b, run.location[1], process, LOCATION_ACCELERATOR, 1);
	made_run_finish(&run);
	run.cube = cube_new(run.t);
	for (uint32_t l = 0; l < 3; l++) {
		const double times[] = { 10, 60, 20 };
		cube_add(run.cube, CUBE_TIME, 1, run.location[l], times[l]);
		cube_add(run.cube, CUBE_VISITS, 1, run.location[l], 1);
	}
	cube_settle(run.cube);
	balance_pattern.add_settled(run.cube);
	made_assert_metric(&run, CUBE_IMBALANCE_ABOVE, (const double[]){ 0, 0, 5 });
	made_assert_metric(&run, CUBE_IMBALANCE_BELOW, (const double[]){ 5, 0, 0 });
	made_run_fini(&run);
}
