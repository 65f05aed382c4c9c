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

TEST(test_small_items_keep_their_digits)
{
	struct fixed_pair sum = { 0, 0 }, back = { 0, 0 };
	double items[ITEMS];
	struct rng r = { 7 };

	for (int i = 0; i < 1000; i++)
		fixed_pair_add(&sum, 1e-12);
	assert_true(fabs(fixed_pair_value(&sum) - 1e-9) < 1e-24);
	fixed_pair_add(&sum, 0x1p60);
	fixed_pair_add(&sum, -0x1p60);
	assert_true(fabs(fixed_pair_value(&sum) - 1e-9) < 1e-24);

	sum = (struct fixed_pair){ 0, 0 };
	for (int i = 0; i < ITEMS; i++)
		items[i] = ldexp((double)(int64_t)rng_next(&r), -(int)rng_below(&r, 128));
	for (int i = 0; i < ITEMS; i++) {
		fixed_pair_add(&sum, items[i]);
		fixed_pair_add(&back, items[ITEMS - 1 - i]);
	}
	assert_true(sum.sum == back.sum && sum.rest == back.rest);

	/* The doubles next to 0.1, 0.2 and 0.3 are 0.6 together, 0.6000000000000001 one by one. */
	sum = (struct fixed_pair){ 0, 0 };
	for (int i = 1; i < 4; i++)
		fixed_pair_add(&sum, i == 3 ? 0.3 : 0.1 * i);
	assert_true(same(fixed_pair_value(&sum), 0.6));
}

TEST(test_ends_of_the_range_of_pairs)
{
	static const double items[] = { NAN, INFINITY, -1e300, 0x1p53, -0.5 };
	struct fixed_pair sum = { 0, 0 };

	for (size_t i = 0; i < sizeof items / sizeof *items; i++)
		fixed_pair_add(&sum, items[i]);
	assert_true(same(fixed_pair_value(&sum), 0x1p53 - 0.5));
}
