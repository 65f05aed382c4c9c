/* Robust statistics, of numbers worked out by hand or from tables. */
#include "base/robust.h"

#include <math.h>

#include "harness/test.h"

static void assert_near(double value, double expected, double error)
{
	if (fabs(value - expected) > error)
		fail_msg("%.9g instead of %.9g", value, expected);
}

TEST(scatter)
{
	const double values[] = { 5, 1, 4, 2, 1000 };

	/* From 4: 1, 3, 0, 2, 996. */
	assert_near(robust_scatter(values, 5), 1.4826 * 2, 1e-12);
	assert_near(robust_scatter(values, 1), 0, 0);
	assert_near(robust_scatter(NULL, 0), 0, 0);
}

TEST(trend)
{
	const double rising[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	const double mixed[] = { 2, 1, 4, 3 }, equal[] = { 1, 1, 2, 2 }, flat[] = { 3, 3, 3, 3 };

	/* S = 45, variance 10 x 9 x 25 / 18 = 125. */
	assert_near(trend_significance(rising, 10), 44 / sqrt(125), 1e-12);
	/* S = 4 - 2, variance 4 x 3 x 13 / 18. */
	assert_near(trend_significance(mixed, 4), 1 / sqrt(156 / 18.0), 1e-12);
	/* S = 4; two pairs of equals take 2 x 1 x 9 each off 156. */
	assert_near(trend_significance(equal, 4), 3 / sqrt((156 - 36) / 18.0), 1e-12);
	assert_near(trend_significance(flat, 4), 0, 0);
	assert_near(trend_significance(rising, 2), 0, 0);
}

TEST(slope)
{
	double values[1000], middle;
	const double wild[] = { 0, 1, 2, 300, 4 };

	for (int i = 0; i < 1000; i++)
		values[i] = 7 - 0.25 * i;
	assert_near(trend_slope(values, 1000, &middle), -0.25, 1e-9);
	assert_near(middle, 7 - 0.25 * 499.5, 1e-9);
	/* Slopes 1, 1, 1, 100 and more, or less than -90: the median is 1. */
	assert_near(trend_slope(wild, 5, &middle), 1, 1e-12);
	assert_near(middle, 2, 1e-12);
	assert_near(trend_slope(wild, 1, NULL), 0, 0);
}

TEST(quantile)
{
	assert_near(normal_quantile(0.5), 0, 1e-9);
	assert_near(normal_quantile(0.975), 1.959963985, 1e-8);
	assert_near(normal_quantile(0.8413447461), 1, 1e-8);
	assert_near(normal_quantile(0.001), -3.090232306, 1e-8);
}
