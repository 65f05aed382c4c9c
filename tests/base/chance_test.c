/* Chance: quantiles of another library, sums worked out by hand. */
#include "base/chance.h"

#include <math.h>

#include "harness/test.h"

static void assert_near(double value, double expected)
{
	if (fabs(value / expected - 1) > 1e-6)
		fail_msg("%.9g instead of %.9g", value, expected);
}

/* From SciPy 1.10: scipy.stats.t.isf(chance / 2, freedom). */
TEST(quantiles_are_those_of_students_t)
{
	static const struct {
		double chance;
		unsigned freedom;
		double t;
	} cases[] = {
		{ 0.05, 1, 12.706204736432102 },  { 0.05, 10, 2.2281388519649385 },
		{ 0.05, 64, 1.9977296536259739 }, { 1e-5, 5, 17.896866169524017 },
		{ 1e-6, 3, 130.15458935414782 },  { 0.01, 30, 2.7499956535670727 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_near(chance_quantile(cases[i].chance, cases[i].freedom), cases[i].t);
}

/* 1 and -1 in turn: s is sqrt(16 / 15), that of the sum 4 times as much; sums of two neighbours do
 * not scatter. */
TEST(values_that_are_independent)
{
	double x[16];

	for (int i = 0; i < 16; i++)
		x[i] = i % 2 ? -1 : 1;
	assert_near(chance_of_sum(x, 16, 0.05), 2.131449546 * 4 * sqrt(16 / 15.0));
}

/* Eight of 1, then eight of -1: the sums of two neighbours are 4 of 2 and 4 of -2. */
TEST(neighbours_that_are_alike)
{
	double x[16];

	for (int i = 0; i < 16; i++)
		x[i] = i < 8 ? 1 : -1;
	assert_near(chance_of_sum(x, 16, 0.05), 2.364624252 * sqrt(8 * 32 / 7.0));
}

/* One of 40 is 40, the rest 0: however large it is, that is 40 of 90 by chance. By fours the mean
 * is 4, the squares are 9 * 16 + 36 * 36 = 1440, so s is sqrt(160), and of the sum 40. */
TEST(one_large_value)
{
	double x[40] = { 0 };

	x[17] = 40;
	assert_near(chance_of_sum(x, 40, 0.05), 2.262157163 * 40);
	x[17] = 40e6;
	assert_near(chance_of_sum(x, 40, 0.05), 2.262157163 * 40e6);
}

/* 17 values, the last of which is in no pair: that of eight pairs times sqrt(17 / 16). */
TEST(what_is_left_over)
{
	double x[17] = { 0 };

	for (int i = 0; i < 16; i++)
		x[i] = i < 8 ? 1 : -1;
	assert_near(chance_of_sum(x, 17, 0.05), 2.364624252 * sqrt(8 * 32 / 7.0) * sqrt(17 / 16.0));
}

TEST(too_few)
{
	const double x[2] = { 1, 3 };

	assert_true(isinf(chance_of_sum(x, 2, 0.05)));
	assert_true(isinf(chance_of_sum(NULL, 0, 0.05)));
}
