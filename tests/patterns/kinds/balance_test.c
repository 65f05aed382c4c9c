/* Computational imbalance (section 6.7) of a call path that all visit, one that two visit and one
 * that a single process visits; by hand. */
#include "harness/test.h"
#include "model/build/builder.h"
#include "patterns/patterns.h"

static const struct timescale nanoseconds = { 1000000000, 9 };

enum { RANKS = 4 };

/* Call paths 1 "all", 2 "some", 3 "one", 4 MPI_Barrier. */
static struct trace *run(void)
{
	struct builder *b = builder_new("test.trc", &nanoseconds, NULL);
	static const struct {
		const char *name;
		enum region_class cls;
	} regions[] = { { "all", CLASS_USER },
			{ "some", CLASS_USER },
			{ "one", CLASS_USER },
			{ "MPI_Barrier", CLASS_SYNC } };
	struct trace *trace;

	for (int32_t r = 0; r < RANKS; r++) {
		const uint32_t l =
			builder_location(b, &(struct location){
						    .rank = r, .process = -1, .thread = 0 });
		for (int i = 0; i < 4; i++) {
			const uint32_t site = builder_site(b,
							   builder_region(b, regions[i].name,
									  regions[i].cls, 10 + i),
							   0, 0, 10 + i);
			builder_enter(b, l, i, site);
			builder_leave(b, l, i, site);
		}
	}
	trace = builder_finish(b, NULL, NULL, NULL);
	assert_non_null(trace);
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
	struct trace *trace = run();
	struct cube *cube = cube_new(trace);

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
	cube_free(cube);
	trace_free(trace);
}
