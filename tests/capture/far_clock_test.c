/* The clocks of two nodes, from the times of questions and answers (far_clock.h). */
#include "capture/lib/far_clock.h"
#include "harness/test.h"

/* 1,000 ahead: a question takes 10 ticks and its answer 30, then the other way round, 40 and 6. */
TEST(both_ways_bound_the_difference)
{
	struct far_clock c = { 0 };

	far_clock_learn(&c, 100, 1110, 1120, 150);
	assert_int_equal(c.low, 970);
	assert_int_equal(c.high, 1010);
	far_clock_learn(&c, 200, 1240, 1250, 256);
	/* The lower bound of the second, the upper one of the first; a tick of drift. */
	assert_int_equal(c.low, 994);
	assert_int_equal(c.high, 1011);
	assert_true(far_clock_ahead(&c) >= 994 && far_clock_ahead(&c) <= 1011);
}

/* Whatever the delays, the true difference is never farther off than the error says. */
TEST(the_error_covers)
{
	uint32_t random = 1;

	for (int64_t ahead = -5000000; ahead <= 5000000; ahead += 2500000) {
		struct far_clock c = { 0 };
		uint64_t now = 100000000;
		for (int i = 0; i < 1000; i++) {
			uint64_t d[3];
			int64_t off;
			for (int k = 0; k < 3; k++) {
				random = random * 1664525u + 1013904223u;
				d[k] = 1 + random % (k == 1 ? 1000000 : 5000);
			}
			far_clock_learn(&c, now, now + d[0] + (uint64_t)ahead,
					now + d[0] + d[1] + (uint64_t)ahead,
					now + d[0] + d[1] + d[2]);
			now += d[0] + d[1] + d[2];
			off = far_clock_ahead(&c) - ahead;
			assert_true((off < 0 ? -off : off) <= far_clock_error(&c, now));
		}
		/* Less than that of one exchange, as a mean. */
		assert_true(far_clock_error(&c, now) < 2500);
	}
}

/* A clock that was set is believed again at once. */
TEST(a_clock_that_was_set)
{
	struct far_clock c = { 0 };

	far_clock_learn(&c, 100, 1110, 1120, 150);
	far_clock_learn(&c, 200, 9210, 9220, 240);
	assert_int_equal(c.low, 8980);
	assert_int_equal(c.high, 9010);
}
