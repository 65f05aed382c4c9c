/* Steps of one pair of clocks: by hand, and the test vector of the method's description. */
#include <math.h>

#include "correct/fit/step_scan.h"
#include "harness/random.h"
#include "harness/test.h"

/* Two-way bounds of a clock that is set by 500 at 1050; times and values in any unit. */
static const struct step_point vector[] = { { 0, 30, true },      { 100, -20, false },
					    { 1000, 31, true },   { 1100, 470, false },
					    { 1200, 530, true },  { 2100, 471, false },
					    { 2200, 529, true },  { 3100, 472, false },
					    { 3200, 529.5, true } };

static step_point_vec points_of(const struct step_point *points, size_t n)
{
	step_point_vec v = VEC_INIT;

	for (size_t i = 0; i < n; i++)
		vec_push(&v, points[i]);
	return v;
}

TEST(a_step_up_by_hand)
{
	step_point_vec points = points_of(vector, 8);
	pair_step_vec steps = VEC_INIT;

	assert_int_equal(step_scan(&points, 1e-3, &steps), 0);
	assert_int_equal(steps.n, 1);
	assert_float_equal(steps.data[0].from, 1000, 0);
	assert_float_equal(steps.data[0].to, 1100, 0);
	assert_float_equal(steps.data[0].other_from, 1031, 1e-9);
	assert_float_equal(steps.data[0].other_to, 1570, 1e-9);
	assert_float_equal(steps.data[0].least, 441.38, 1e-9);
	assert_float_equal(steps.data[0].most, 549.42, 1e-9);
	vec_fini(&points);
	vec_fini(&steps);
}

/* Seen from the other clock it is a step down of the same size. */
TEST(a_step_down_is_the_mirror)
{
	struct step_point other[8];
	pair_step_vec steps = VEC_INIT;
	step_point_vec points;

	for (int i = 0; i < 8; i++)
		other[i] =
			(struct step_point){ vector[i].time, -vector[i].value, !vector[i].upper };
	points = points_of(other, 8);
	assert_int_equal(step_scan(&points, 1e-3, &steps), 0);
	assert_int_equal(steps.n, 1);
	assert_float_equal(steps.data[0].from, 1000, 0);
	assert_float_equal(steps.data[0].to, 1100, 0);
	assert_float_equal(steps.data[0].least, -549.42, 1e-9);
	assert_float_equal(steps.data[0].most, -441.38, 1e-9);
	vec_fini(&points);
	vec_fini(&steps);
}

/* One lower point is behind: a mismatched message, not a step. */
TEST(one_message_is_no_step)
{
	struct step_point few[] = { { 0, 30, true },      { 100, -20, false },  { 1000, 31, true },
				    { 1050, -21, false }, { 1100, 470, false }, { 1200, 30, true },
				    { 1300, -20, false }, { 1400, 29, true } };
	step_point_vec points = points_of(few, 8);
	pair_step_vec steps = VEC_INIT;

	assert_int_equal(step_scan(&points, 1e-3, &steps), 1);
	assert_int_equal(steps.n, 0);
	assert_int_equal(points.n, 7);
	vec_fini(&points);
	vec_fini(&steps);
}

TEST(room_for_a_step)
{
	step_point_vec points = points_of(vector, 8);
	double least, most, middle;

	/* At 1050 as the scan says; long before the messages nothing is known. */
	step_room(&points, 1050, 2e-4, &least, &most);
	assert_float_equal(least, 441.38, 1e-9);
	assert_float_equal(most, 549.42, 1e-9);
	step_room(&points, -5, 2e-4, &least, &most);
	assert_true(isinf(least) && isinf(most));
	assert_true(step_middle(&points, 1050, &middle));
	assert_float_equal(middle, 5, 1e-9);
	assert_false(step_middle(&points, 50, &middle));
	vec_fini(&points);
}

/* Bounds 40 apart around a line: no step at any slope that the rate allows, steps beyond it. The
 * rate that the trace demands allows its own slope. */
TEST(drift_is_no_step)
{
	static const double slopes[] = { 0, 9e-4, -9e-4, 5e-3, -5e-3 };
	struct rng rng = { 7 };

	for (int s = 0; s < 5; s++) {
		step_point_vec points = VEC_INIT;
		pair_step_vec steps = VEC_INIT;
		struct step_rates rates = { 0 };
		for (int i = 0; i < 2000; i++) {
			const bool upper = rng_below(&rng, 2) == 0;
			const double t = 1000.0 * i;
			const double late = 20 + (double)rng_below(&rng, 30);
			vec_push(&points,
				 ((struct step_point){ t, slopes[s] * t + (upper ? late : -late),
						       upper }));
		}
		step_rates_add(&rates, &points);
		assert_true(step_rate(&rates) >= 10 * 0.9 * fabs(slopes[s]));
		step_scan(&points, step_rate(&rates), &steps);
		assert_int_equal(steps.n, 0);
		step_scan(&points, 1e-3, &steps);
		assert_int_equal(steps.n > 0, fabs(slopes[s]) > 1e-3);
		vec_fini(&points);
		vec_fini(&steps);
	}
}

TEST(rates_are_between_their_limits)
{
	struct step_rates rates = { 0 };

	assert_float_equal(step_rate(&rates), 1e-3, 0);
	rates.count[0][0] = 3;
	rates.count[0][RATE_BINS - 1] = 2;
	assert_float_equal(step_rate(&rates), 1e-3, 0);
	rates.count[1][RATE_BINS - 1] = 1;
	assert_float_equal(step_rate(&rates), 0.5, 1e-12);
}
