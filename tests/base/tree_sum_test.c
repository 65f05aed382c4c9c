/* The tree against its definition. */
#include "base/tree_sum.h"

#include <math.h>

#include "harness/random.h"
#include "harness/test.h"

enum { MOST = 600 };

static double defined(const double *items, size_t n)
{
	size_t half = 1;

	if (n == 1)
		return items[0];
	while (2 * half < n)
		half *= 2;
	return defined(items, half) + defined(items + half, n - half);
}

static double summed(const double *items, size_t n)
{
	struct tree_sum sum = TREE_SUM_INIT;

	for (size_t i = 0; i < n; i++)
		tree_sum_add(&sum, items[i]);
	return tree_sum(&sum);
}

TEST(test_definition)
{
	struct rng r = { 3 };
	double items[MOST], running = 0;
	bool differs = false;

	for (size_t i = 0; i < MOST; i++)
		items[i] = ldexp((double)rng_next(&r), -(int)rng_below(&r, 60));
	assert_true(summed(items, 0) == 0);
	for (size_t n = 1; n <= MOST; n++) {
		assert_true(summed(items, n) == defined(items, n));
		running += items[n - 1];
		differs = differs || running != summed(items, n);
	}
	assert_true(differs); /* from the sum in order */
}

/* ((1 + 2^53) + (-2^53 + 1)) + 1: in order it would be 2. */
TEST(test_by_hand)
{
	const double big = 0x1p53, items[] = { 1, big, -big, 1, 1 };

	assert_true(1 + big == big);
	assert_true(summed(items, 5) == 2);
	assert_true(summed(items, 4) == 1);
}
