/* What is added to a cube may come in any order. */
#include "patterns/severity/cube.h"

#include <math.h>
#include <string.h>

#include "harness/owners.h"
#include "harness/random.h"
#include "harness/random_trace.h"
#include "harness/test.h"

enum { ADDED = 20000 };

struct addition {
	uint32_t path, location;
	enum cube_metric metric;
	double value;
};

static struct addition *make(const struct trace *trace, struct rng *r)
{
	static const enum cube_metric metrics[] = { CUBE_TIME, CUBE_MPI_LATESENDER,
						    CUBE_DELAY_LATESENDER,
						    CUBE_DELAY_LATESENDER_LONGTERM };
	struct addition *list = test_calloc(ADDED, sizeof *list);

	for (size_t i = 0; i < ADDED; i++)
		list[i] = (struct addition){
			rng_below(r, trace_callpath_count(trace)),
			rng_below(r, trace_location_count(trace)), metrics[rng_below(r, 4)],
			ldexp((double)(rng_next(r) >> 12), -(int)rng_below(r, 60))
		};
	return list;
}

static struct cube *fill(const struct trace *trace, const struct addition *list, bool backward)
{
	struct cube *cube = cube_new(trace);

	for (size_t i = 0; i < ADDED; i++) {
		const struct addition *a = &list[backward ? ADDED - 1 - i : i];
		cube_add(cube, a->metric, a->path, a->location, a->value);
	}
	cube_settle(cube);
	return cube;
}

static void assert_same(const struct cube *a, const struct cube *b)
{
	const struct trace *trace = cube_trace(a);
	const size_t paths = trace_callpath_count(trace), locations = trace_location_count(trace);
	double *x = test_calloc(paths + locations, sizeof *x);
	double *y = test_calloc(paths + locations, sizeof *y);

	for (int i = 0; i < CUBE_METRICS; i++) {
		const enum cube_metric m = (enum cube_metric)i;
		assert_true(cube_total(a, m, NULL) == cube_total(b, m, NULL));
		cube_by_path(a, m, NULL, x);
		cube_by_path(b, m, NULL, y);
		cube_by_location(a, m, 0, true, x + paths);
		cube_by_location(b, m, 0, true, y + paths);
		for (size_t k = 0; k < paths + locations; k++)
			assert_true(x[k] == y[k]);
	}
	test_free(x);
	test_free(y);
}

/* The total of integers is that of any program. */
static void assert_total(const struct cube *cube, const struct addition *list)
{
	long double sum = 0;

	for (size_t i = 0; i < ADDED; i++)
		sum += list[i].metric == CUBE_MPI_LATESENDER ? (long double)list[i].value : 0;
	assert_true(fabsl(sum - (long double)cube_total(cube, CUBE_MPI_LATESENDER, NULL)) <=
		    1e-12L * sum);
}

TEST(test_any_order)
{
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct rng r = { seed };
		OWNED_TRACE *trace = random_trace(seed, 300, 1000000000);
		struct addition *list = make(trace, &r);
		struct cube *forth = fill(trace, list, false), *back = fill(trace, list, true);
		assert_same(forth, back);
		assert_total(forth, list);
		/* Opened and settled again it is the same. */
		cube_reopen(back);
		cube_settle(back);
		assert_same(forth, back);
		cube_free(forth);
		cube_free(back);
		test_free(list);
	}
}

/* Whole numbers, some of them added after it was settled once: the sums are those of an array. */
TEST(test_added_later)
{
	OWNED_TRACE *trace = random_trace(6, 300, 1000000000);
	const uint32_t paths = trace_callpath_count(trace), n = trace_location_count(trace);
	double *sums = test_calloc((size_t)paths * n, sizeof *sums);
	struct cube *cube = cube_new(trace);
	struct rng r = { 6 };

	for (int i = 0; i < ADDED; i++) {
		const uint32_t path = rng_below(&r, paths), location = rng_below(&r, n);
		const double value = rng_below(&r, 1000);
		if (i % (ADDED / 4) == ADDED / 4 - 1) {
			cube_settle(cube);
			cube_reopen(cube);
		}
		cube_add(cube, CUBE_MPI_LATESENDER, path, location, value);
		sums[(size_t)trace_callpath(trace, path)->canon * n + location] += value;
	}
	cube_settle(cube);
	for (uint32_t p = 0; p < paths; p++)
		for (uint32_t l = 0; l < n; l++)
			if (trace_callpath(trace, p)->canon == p)
				assert_true(cube_value(cube, CUBE_MPI_LATESENDER, p, l) ==
					    sums[(size_t)p * n + l]);
	cube_free(cube);
	test_free(sums);
}
