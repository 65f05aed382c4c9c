/* From ticks to nanoseconds, and offsets between clocks: numbers worked out by hand. */
#include <stdlib.h>

#include "capture/run/ticks.h"
#include "harness/test.h"

TEST(test_half_nanosecond_ticks)
{
	struct calibration c;

	/* 2 GHz: 2 * 10^9 ticks in a second. */
	assert_true(calibrate(&c, (struct reading){ 1000, 500 },
			      (struct reading){ 2000001000, 1000000500 }));
	assert_int_equal(ticks_to_nanoseconds(&c, 1000), 500);
	assert_int_equal(ticks_to_nanoseconds(&c, 1002), 501);
	assert_int_equal(ticks_to_nanoseconds(&c, 1003), 501);
	assert_int_equal(ticks_to_nanoseconds(&c, 998), 499);
	assert_int_equal(ticks_to_nanoseconds(&c, 997), 498); /* rounded down on both sides */
	assert_int_equal(calibration_frequency(&c), 2000000000);
}

TEST(test_a_year_of_ticks)
{
	struct calibration c;
	const uint64_t year = UINT64_C(365) * 86400 * 4000000000; /* 4 GHz */

	assert_true(calibrate(&c, (struct reading){ 0, 0 },
			      (struct reading){ 4000000000, 1000000000 }));
	assert_int_equal(ticks_to_nanoseconds(&c, year), INT64_C(365) * 86400 * 1000000000);
}

TEST(test_order_is_kept)
{
	struct calibration c;
	int64_t before = INT64_MIN;

	/* 2.596094010 GHz, as measured somewhere. */
	assert_true(calibrate(&c, (struct reading){ 1 << 20, 77 },
			      (struct reading){ (1 << 20) + UINT64_C(2596094010), 1000000077 }));
	for (uint64_t tick = (1 << 20) - 5000; tick < (1 << 20) + 5000; tick++) {
		const int64_t now = ticks_to_nanoseconds(&c, tick);
		assert_true(now == before || now == before + 1 || before == INT64_MIN);
		before = now;
	}
}

TEST(test_too_close)
{
	struct calibration c;

	assert_false(calibrate(&c, (struct reading){ 0, 0 }, (struct reading){ 1000, 400 }));
	assert_false(calibrate(&c, (struct reading){ 5, 5 }, (struct reading){ 5, 5 }));
	assert_false(calibrate(&c, (struct reading){ 0, 0 }, (struct reading){ 0, 0 }));
}

TEST(test_offsets)
{
	/* Sent at 100, back at 140: half way is 120; the other clock showed 1000. */
	struct clock_offset o = clock_offset_make(100, 1000, 140);

	assert_int_equal(o.offset, -880);
	assert_int_equal(o.rtt, 40);
	assert_int_equal(o.time, 1000);
	assert_false(clock_offset_may_be_zero(&o));
	o = clock_offset_make(100, 139, 140); /* -19: within 20 */
	assert_true(clock_offset_may_be_zero(&o));
	o = clock_offset_make(100, 99, 140); /* read before it was asked: another clock */
	assert_false(clock_offset_may_be_zero(&o));
}

TEST(test_durations)
{
	struct calibration c;
	int64_t sum = 0;

	/* 3 GHz: a tick is a third of a nanosecond. */
	assert_true(calibrate(&c, (struct reading){ 7, 5 },
			      (struct reading){ 7 + UINT64_C(3000000000), 5 + 1000000000 }));
	assert_int_equal(ticks_duration(&c, 0, TICKS_UP), 0);
	assert_int_equal(ticks_duration(&c, 4, TICKS_DOWN), 1);
	assert_int_equal(ticks_duration(&c, 4, TICKS_NEAREST), 1);
	assert_int_equal(ticks_duration(&c, 4, TICKS_UP), 2);
	assert_int_equal(ticks_duration(&c, 5, TICKS_NEAREST), 2);
	/* 0 to 2,999 ticks are 1,499,500 ns in sum; rounding has no direction: 0, 1/3 down, 2/3
	 * up. */
	for (uint64_t ticks = 0; ticks < 3000; ticks++)
		sum += ticks_duration(&c, ticks, TICKS_NEAREST);
	assert_int_equal(sum, 1499500);
	/* The factor has 56 bits behind the point. */
	assert_true(UINT64_MAX / 3 - (uint64_t)ticks_duration(&c, UINT64_MAX, TICKS_UP) < 256);
	assert_true(ticks_length(&c) > 0.333333333 && ticks_length(&c) < 0.333333334);
	calibrate_nanoseconds(&c);
	assert_int_equal(ticks_duration(&c, 12345, TICKS_UP), 12345);
	assert_int_equal(ticks_duration(&c, UINT64_MAX, TICKS_DOWN), INT64_MAX);
}

/* Readings and ticks of a damaged file: points in time all the same, in their order. */
TEST(test_far_away)
{
	const int64_t most = INT64_C(1) << 60;
	struct calibration c;

	calibrate_nanoseconds(&c);
	assert_int_equal(ticks_to_nanoseconds(&c, UINT64_MAX), most);
	assert_int_equal(ticks_to_nanoseconds(&c, (uint64_t)most - 1), most - 1);
	/* 128 ns a tick, from a reading near the end of all clocks. */
	assert_true(calibrate(&c, (struct reading){ UINT64_MAX - 100000, 0 },
			      (struct reading){ UINT64_MAX, 12800000 }));
	assert_int_equal(ticks_to_nanoseconds(&c, UINT64_MAX), 12800000);
	assert_int_equal(ticks_to_nanoseconds(&c, UINT64_MAX - 100001), -128);
	assert_int_equal(ticks_to_nanoseconds(&c, 0), -most);
}
