/* Sums that do not depend on the order of their items. */
#include "base/fixed.h"

#include <math.h>

#include "harness/random.h"
#include "harness/test.h"

enum { ITEMS = 1000 };

static bool same(double a, double b)
{
	return a == b;
}

TEST(test_integers_are_exact)
{
	assert_true(same(fixed_value(fixed_of(0x1p53 - 1)), 0x1p53 - 1));
	assert_true(same(fixed_value(fixed_of(-0x1p60)), -0x1p60));
	assert_true(same(fixed_value(fixed_of(0x1p53) + fixed_of(1) - fixed_of(0x1p53)), 1));
	assert_true(same(fixed_value(fixed_of(0.75)), 0.75));
	assert_true(fixed_of(0x1p-33) == 1 && fixed_of(-0x1p-33) == -1);
	assert_true(fixed_of(0x1p-34) == 0);
	assert_true(same(rate_value(rate_of(1.0 / 3)), 1.0 / 3));
	assert_true(rate_of(0x1p-62) == 1);
}

TEST(test_ends_of_the_range)
{
	assert_true(fixed_of(NAN) == 0 && rate_of(NAN) == 0);
	assert_true(same(fixed_value(fixed_of(1e300)), 0x1p78));
	assert_true(same(fixed_value(fixed_of(-1e300)), -0x1p78));
	assert_true(same(rate_value(rate_of(INFINITY)), 0x1p40));
	/* As many as may be added. */
	assert_true(same(fixed_value(fixed_of(1e300) * (1 << 16)), 0x1p94));
	assert_true(same(rate_value(rate_of(-1e300) * (1 << 24)), -0x1p64));
}

TEST(test_any_order)
{
	double items[ITEMS], forth = 0, back = 0;
	fixed sum = 0, other = 0;
	struct rng r = { 5 };

	for (int i = 0; i < ITEMS; i++)
		items[i] = ldexp((double)(int64_t)rng_next(&r), -(int)rng_below(&r, 70));
	for (int i = 0; i < ITEMS; i++) {
		sum += fixed_of(items[i]);
		other += fixed_of(items[ITEMS - 1 - i]);
		forth += items[i];
		back += items[ITEMS - 1 - i];
	}
	assert_true(sum == other);
	assert_false(same(forth, back)); /* of doubles it matters */
	for (int i = 0; i < ITEMS; i++)
		sum -= fixed_of(items[i]);
	assert_true(sum == 0);
}
