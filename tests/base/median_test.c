/* The median is that of the sorted values, whatever their order. */
#include "base/median.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "harness/random.h"
#include "harness/test.h"

enum { MOST = 400 };

ORDERING_OF_NUMBERS(ascending, double)

static void assert_median(const double *values, size_t n)
{
	double sorted[MOST], mixed[MOST];

	memcpy(sorted, values, n * sizeof *values);
	memcpy(mixed, values, n * sizeof *values);
	SORT(sorted, n, ascending);
	const double wanted = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
	assert_true(fabs(median_of(mixed, n) - wanted) <= 0);
	/* None is lost. */
	SORT(mixed, n, ascending);
	assert_memory_equal(mixed, sorted, n * sizeof *values);
}

TEST(by_hand)
{
	assert_true(fabs(median_of(NULL, 0)) <= 0);
	assert_true(fabs(median_of((double[]){ 7 }, 1) - 7) <= 0);
	assert_true(fabs(median_of((double[]){ 9, 2 }, 2) - 5.5) <= 0);
	assert_true(fabs(median_of((double[]){ 9, 2, 4 }, 3) - 4) <= 0);
	assert_true(fabs(median_of((double[]){ 3, 1, 4, 2 }, 4) - 2.5) <= 0);
}

TEST(random_values)
{
	uint64_t seed = 5;

	for (int i = 0; i < 4000; i++) {
		double values[MOST];
		const size_t n = 1 + draw(&seed, MOST - 1);
		/* From all equal to all different. */
		const uint32_t range = 1u << draw(&seed, 31);
		for (size_t k = 0; k < n; k++)
			values[k] = draw(&seed, range);
		assert_median(values, n);
	}
}

/* Orders that guess badly: ascending, descending, up and down, halves of equal values. */
TEST(regular_orders)
{
	for (size_t n = 1; n <= MOST; n++)
		for (int shape = 0; shape < 6; shape++) {
			double values[MOST];
			for (size_t k = 0; k < n; k++) {
				const double up = (double)k, down = (double)(n - k);
				values[k] = shape == 0   ? up
					    : shape == 1 ? down
					    : shape == 2 ? fmin(up, down)
					    : shape == 3 ? fmax(up, down)
					    : shape == 4 ? (double)(2 * k < n)
							 : (double)(k % 3);
			}
			assert_median(values, n);
		}
}
