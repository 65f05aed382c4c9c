/* Two times in one unit. */
#include "harness/test.h"
#include "views/facts/time_range.h"

TEST(test_ranges)
{
	static const struct {
		double low, high;
		int digits;
		const char *text;
	} ranges[] = {
		{ 401234567, 423456789, 3, "401-423 ms" },
		{ 12345678, 14100000, 3, "12.3-14.1 ms" },
		{ 900000, 14100000, 3, "0.9-14.1 ms" },
		{ 0, 4810, 3, "0.00-4.81 us" },
		{ 1170000000, 1170100000, 3, "1.17 s" },
		{ 1170000000, 1170100000, 6, "1.17000-1.17010 s" },
		{ -2000, 3000, 2, "-2.0..3.0 us" },
		{ -3000, -2000, 2, "-3.0..-2.0 us" },
	};

	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
		OWNED_STR s = STR_INIT;
		time_range_text(&s, ranges[i].low, ranges[i].high, ranges[i].digits,
				&units_nanoseconds);
		assert_string_equal(s.text, ranges[i].text);
	}
}
