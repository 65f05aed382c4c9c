/* Times and counts in and out: exactly, at the edges of 64 bits, and for tick rates that are no
 * power of ten. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "harness/test.h"

static const struct timescale ps = { 1000000000000, 12 };
static const struct timescale us = { 1000000, 6 };
static const struct timescale tsc = { 2399997000, 12 }; /* a time-stamp counter */

static void assert_seconds(int64_t ticks, const struct timescale *scale, int digits,
			   const char *wanted)
{
	OWNED_STR s = STR_INIT;

	units_seconds(&s, ticks, scale, digits);
	assert_string_equal(s.text, wanted);
}

TEST(seconds_are_exact)
{
	assert_seconds(0, &units_nanoseconds, 9, "0.000000000");
	assert_seconds(1, &units_nanoseconds, 9, "0.000000001");
	assert_seconds(-1, &units_nanoseconds, 9, "-0.000000001");
	assert_seconds(1500000000, &units_nanoseconds, 9, "1.500000000");
	assert_seconds(1, &ps, 12, "0.000000000001");
	assert_seconds(-715036, &us, 6, "-0.715036");
	assert_seconds(INT64_MAX, &units_nanoseconds, 9, "9223372036.854775807");
	assert_seconds(INT64_MIN, &units_nanoseconds, 9, "-9223372036.854775808");
	assert_seconds(INT64_MIN, &ps, 12, "-9223372.036854775808");
	/* More digits than the tick has are zeros. */
	assert_seconds(12, &us, 12, "0.000012000000");
}

TEST(fewer_digits_round_half_away_from_zero)
{
	assert_seconds(1499999999, &units_nanoseconds, 0, "1");
	assert_seconds(1500000000, &units_nanoseconds, 0, "2");
	assert_seconds(-1500000000, &units_nanoseconds, 0, "-2");
	assert_seconds(-1499999999, &units_nanoseconds, 0, "-1");
	assert_seconds(49, &units_nanoseconds, 7, "0.0000000");
	assert_seconds(-49, &units_nanoseconds, 7, "0.0000000"); /* no minus in front of nothing */
	assert_seconds(50, &units_nanoseconds, 7, "0.0000001");
	assert_seconds(-50, &units_nanoseconds, 7, "-0.0000001");
	assert_seconds(999999999, &units_nanoseconds, 8,
		       "1.00000000"); /* carries into the whole part */
	/* 1 / 2399997000 s = 4.16667187...e-10 s */
	assert_seconds(1, &tsc, 12, "0.000000000417");
	assert_seconds(2399997000, &tsc, 12, "1.000000000000");
}

/* Whatever came before: near, at the edges of the digits that are kept, far, and negative. */
TEST(times_that_follow_each_other_are_the_same)
{
	static const int64_t steps[] = { 0,         1,         9999, 99989999, 99999999,
					 100000001, 123456789, -1,   -10000,   -987654321 };
	static const struct timescale *const scales[] = { &units_nanoseconds, &ps, &us, &tsc };
	uint64_t seed = 5;

	for (size_t s = 0; s < sizeof scales / sizeof *scales; s++)
		for (int digits = 0; digits <= 12; digits++) {
			struct units_near near = { 0 };
			int64_t time = 9998;
			for (int i = 0; i < 300; i++) {
				OWNED_STR expected = STR_INIT;
				OWNED_STR text = STR_INIT;
				seed = seed * 6364136223846793005u + 1442695040888963407u;
				time += steps[(seed >> 33) % (sizeof steps / sizeof *steps)];
				units_seconds(&expected, time, scales[s], digits);
				units_seconds_near(&text, time, scales[s], digits, &near);
				assert_string_equal(text.text, expected.text);
			}
		}
}

TEST(export_digits_show_a_tick)
{
	const struct timescale odd = { 1000000001, 12 };

	assert_int_equal(units_export_digits(&us), 9);
	assert_int_equal(units_export_digits(&units_nanoseconds), 9);
	assert_int_equal(units_export_digits(&odd), 10);
	assert_int_equal(units_export_digits(&tsc), 10);
	assert_int_equal(units_export_digits(&ps), 12);
}

static void assert_time(const char *text, const struct timescale *scale, int64_t wanted)
{
	struct err err = ERR_INIT;
	int64_t ticks = 42;

	if (!units_parse_time(text, NULL, scale, &ticks, &err))
		fail_msg("'%s': %s", text, err.text);
	assert_int_equal(err.status, 0);
	if (ticks != wanted)
		fail_msg("'%s' is %" PRId64 ", not %" PRId64, text, ticks, wanted);
}

TEST(times_are_read_exactly)
{
	assert_time("0", &units_nanoseconds, 0);
	assert_time("1", &units_nanoseconds, 1000000000);
	assert_time("1s", &units_nanoseconds, 1000000000);
	assert_time("0.1", &units_nanoseconds, 100000000);
	assert_time(" 0.25", &units_nanoseconds, 250000000);
	assert_time(".5", &units_nanoseconds, 500000000);
	assert_time("3.", &units_nanoseconds, 3000000000);
	assert_time("+2us", &units_nanoseconds, 2000);
	assert_time("250us", &units_nanoseconds, 250000);
	assert_time("250\xc2\xb5s", &units_nanoseconds, 250000);
	assert_time("-3ms", &units_nanoseconds, -3000000);
	assert_time("12.5 ns", &ps, 12500);
	assert_time("1ps", &ps, 1);
	assert_time("9223372036.854775807", &units_nanoseconds, INT64_MAX);
	assert_time("-9223372036.854775808", &units_nanoseconds, INT64_MIN);
	/* What is finer than a tick is rounded, half away from zero. */
	assert_time("0.0000000004", &units_nanoseconds, 0);
	assert_time("0.0000000005", &units_nanoseconds, 1);
	assert_time("-0.0000000005", &units_nanoseconds, -1);
	assert_time("0.00000000049999999999999999999999999999999999", &units_nanoseconds, 0);
	assert_time("1 s", &tsc, 2399997000);
}

TEST(long_numbers_are_read)
{
	char text[500] = "1.5";
	char zeros[500] = "0.";

	memset(text + 3, '0', 400);
	assert_time(text, &units_nanoseconds, 1500000000);
	memset(zeros + 2, '0', 400);
	strcpy(zeros + 402, "1");
	assert_time(zeros, &units_nanoseconds, 0);
}

static void assert_no_time(const char *text)
{
	struct err err = ERR_INIT;
	int64_t ticks = 42;

	assert_false(units_parse_time(text, NULL, &units_nanoseconds, &ticks, &err));
	assert_int_equal(err.status, STATUS_USAGE);
	assert_non_null(strstr(err.text, text[0] ? text : "''"));
	assert_int_equal(ticks, 42);
}

TEST(what_is_no_time_is_refused)
{
	static const char *const texts[] = { "",
					     "s",
					     "-",
					     ".",
					     "abc",
					     "1.2.3",
					     "0x10",
					     "1e3",
					     "1 min",
					     "nan",
					     "inf",
					     "1ss",
					     "--1",
					     "1,5",
					     "9223372036.854775808",
					     "-9223372036.854775809",
					     "99999999999999999999999999999999999999999999" };

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		assert_no_time(texts[i]);
}

TEST(end_tells_how_far)
{
	const char *text = "0.1s:0.2s";
	const char *end;
	int64_t ticks;

	assert_true(units_parse_time(text, &end, &units_nanoseconds, &ticks, NULL));
	assert_int_equal(ticks, 100000000);
	assert_string_equal(end, ":0.2s");
	assert_true(units_parse_time(end + 1, &end, &units_nanoseconds, &ticks, NULL));
	assert_int_equal(ticks, 200000000);
	assert_string_equal(end, "");
}

static int64_t random_ticks(unsigned *seed)
{
	uint64_t bits = 0;

	for (int i = 0; i < 5; i++)
		bits = bits << 15 ^ (uint64_t)(rand_r(seed) & 0x7fff);
	bits >>= rand_r(seed) % 64;
	return rand_r(seed) & 1 ? -(int64_t)(bits >> 1) : (int64_t)(bits >> 1);
}

/* Printed with the digits of an export and read again, every tick is itself, whatever the rate. */
TEST(print_then_parse_is_identity)
{
	static const int64_t rates[] = {
		1,         3,          10,         1000,       32768,        1000000,      19200000,
		999999937, 1000000000, 2399997000, 3600000000, 100000000000, 1000000000000
	};
	unsigned seed = 7;

	for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
		const struct timescale scale = { rates[r], 12 };
		const int digits = units_export_digits(&scale);

		for (int i = 0; i < 3000; i++) {
			const int64_t ticks = random_ticks(&seed);
			OWNED_STR s = STR_INIT;

			units_seconds(&s, ticks, &scale, digits);
			assert_time(s.text, &scale, ticks);
		}
	}
}

static void assert_human(int64_t ticks, const struct timescale *scale, int digits,
			 const char *wanted)
{
	OWNED_STR s = STR_INIT;

	units_human_time(&s, ticks, scale, digits);
	assert_string_equal(s.text, wanted);
}

TEST(people_read_times)
{
	assert_human(0, &units_nanoseconds, 4, "0 s");
	assert_human(17, &units_nanoseconds, 4, "17 ns");
	assert_human(-17, &units_nanoseconds, 4, "-17 ns");
	assert_human(412113000, &units_nanoseconds, 6, "412.113 ms");
	assert_human(1204000000, &units_nanoseconds, 4, "1.204 s");
	assert_human(1789000, &units_nanoseconds, 4, "1.789 ms");
	assert_human(1500, &us, 4, "1.500 ms");
	assert_human(1, &us, 4, "1 us");
	assert_human(12, &us, 9, "12 us"); /* nothing is said that the tick cannot tell */
	assert_human(1, &ps, 4, "1 ps");
	assert_human(1500, &ps, 3, "1.50 ns");
	assert_human(123000000000, &units_nanoseconds, 4, "2 min 03 s");
	assert_human(-123000000000, &units_nanoseconds, 4, "-2 min 03 s");
	assert_human(119000000000, &units_nanoseconds, 4, "119.0 s");
	/* Rounding never leaves four digits in front of the point, nor one digit too many behind
	 * it. */
	assert_human(999960000, &units_nanoseconds, 3, "1.00 s");
	assert_human(999999999, &units_nanoseconds, 6, "1.00000 s");
	assert_human(999960000, &units_nanoseconds, 6, "999.960 ms");
	assert_human(9999600, &units_nanoseconds, 4, "10.00 ms");
	assert_human(INT64_MIN, &units_nanoseconds, 4, "-153722867 min 17 s");
}

static void assert_count(void (*add)(struct str *, uint64_t), uint64_t n, const char *wanted)
{
	OWNED_STR s = STR_INIT;

	add(&s, n);
	assert_string_equal(s.text, wanted);
}

TEST(a_share_above_zero_never_reads_as_zero)
{
	static const struct {
		double share;
		const char *text;
	} cases[] = { { 0, "0.0 %" },      { 1e-9, "< 0.1 %" }, { 0.00049, "< 0.1 %" },
		      { 0.0005, "0.1 %" }, { 0.123, "12.3 %" }, { 1, "100.0 %" },
		      { -0.25, "-25.0 %" } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		OWNED_STR s = STR_INIT;

		units_share(&s, cases[i].share);
		assert_string_equal(s.text, cases[i].text);
	}
}

TEST(a_mean_above_zero_never_reads_as_zero)
{
	static const struct {
		double mean;
		const char *text;
	} cases[] = { { 0, "0.00" }, { 1e-9, "< 0.01" }, { 0.006, "0.01" }, { 3.456, "3.46" } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		OWNED_STR s = STR_INIT;

		units_mean(&s, cases[i].mean);
		assert_string_equal(s.text, cases[i].text);
	}
}

TEST(people_read_counts_and_bytes)
{
	assert_count(units_count, 0, "0");
	assert_count(units_count, 999, "999");
	assert_count(units_count, 1000, "1,000");
	assert_count(units_count, 3412201, "3,412,201");
	assert_count(units_count, UINT64_MAX, "18,446,744,073,709,551,615");
	assert_count(units_bytes, 0, "0 B");
	assert_count(units_bytes, 8192, "8,192 B");
	assert_count(units_bytes, 102400, "100.0 KiB");
	assert_count(units_bytes, 1572864, "1.5 MiB");
	assert_count(units_bytes, 1048575, "1.0 MiB"); /* not 1024.0 KiB */
	assert_count(units_bytes, 3ull << 40, "3.0 TiB");
	assert_count(units_bytes, UINT64_MAX, "16.0 EiB");
}

TEST(sizes_are_read)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = { { "0", 0 },
		     { "4096", 4096 },
		     { "8k", 8192 },
		     { "64K", 65536 },
		     { "2M", 2097152 },
		     { "1.5G", 1610612736 },
		     { "1.5GiB", 1610612736 },
		     { "2MB", 2097152 },
		     { "3B", 3 },
		     { "1T", 1ull << 40 },
		     { "9223372036854775807", INT64_MAX } };
	static const char *const bad[] = { "",
					   "k",
					   "-1",
					   "nan",
					   "inf",
					   "0x10",
					   "1 2",
					   "1e3",
					   "5X",
					   "1kk",
					   "9223372036854775808",
					   "1e999",
					   "8388608T" };
	uint64_t bytes = 42;

	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_true(units_parse_bytes(good[i].text, &bytes, NULL));
		assert_int_equal(bytes, good[i].bytes);
	}
	bytes = 42;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err err = ERR_INIT;

		if (units_parse_bytes(bad[i], &bytes, &err))
			fail_msg("'%s' was taken as a size", bad[i]);
		assert_int_equal(err.status, STATUS_USAGE);
		assert_int_equal(bytes, 42);
	}
}
