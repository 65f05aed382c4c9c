/* Widths of columns: cases counted by hand, and what holds for any needs. */
#include "harness/test.h"
#include "views/query/column_fit.h"

#include <stdlib.h>

static const struct column_need number = { 8, 8, false, false };
static const struct column_need name = { 40, 12, true, false };
static const struct column_need text = { 20, 10, false, false };
static const struct column_need picture = { 10, 10, false, true };

static void fits(const struct column_need *needs, unsigned n, int room, const int *expected,
		 unsigned fit)
{
	int widths[TABLE_COLUMNS];

	assert_int_equal(columns_fit(needs, n, 2, room, widths), fit);
	for (unsigned i = 0; i < fit; i++)
		assert_int_equal(widths[i], expected[i]);
}

TEST(what_is_left_over_goes_to_names_first)
{
	const struct column_need needs[] = { name, number, text };

	/* 12 + 2 + 8 + 2 + 10 = 34. */
	fits(needs, 3, 34, (const int[]){ 12, 8, 10 }, 3);
	fits(needs, 3, 50, (const int[]){ 28, 8, 10 }, 3);
	fits(needs, 3, 62, (const int[]){ 40, 8, 10 }, 3);
	fits(needs, 3, 67, (const int[]){ 40, 8, 15 }, 3);
	fits(needs, 3, 200, (const int[]){ 40, 8, 20 }, 3);
}

TEST(what_does_not_fit_is_left_out_whole)
{
	const struct column_need needs[] = { name, number, number, number };

	/* Three take 12 + 2 + 8 + 2 + 8 = 32, four take 42. */
	fits(needs, 4, 41, (const int[]){ 21, 8, 8 }, 3);
	fits(needs, 4, 42, (const int[]){ 12, 8, 8, 8 }, 4);
	fits(needs, 4, 9, (const int[]){ 9 }, 1);
	fits(needs + 1, 3, 17, (const int[]){ 8 }, 1);
	/* One is always there, cut. */
	fits(needs + 1, 3, 5, (const int[]){ 5 }, 1);
}

TEST(two_names_share_until_the_short_one_is_whole)
{
	const struct column_need needs[] = { { 15, 12, true, false }, name };

	fits(needs, 2, 26, (const int[]){ 12, 12 }, 2);
	fits(needs, 2, 30, (const int[]){ 14, 14 }, 2);
	fits(needs, 2, 34, (const int[]){ 15, 17 }, 2);
	fits(needs, 2, 99, (const int[]){ 15, 40 }, 2);
}

TEST(pictures_take_the_rest)
{
	const struct column_need needs[] = { name, picture, picture };

	/* 40 + 2 + 10 + 2 + 10 = 64. */
	fits(needs, 3, 60, (const int[]){ 36, 10, 10 }, 3);
	fits(needs, 3, 69, (const int[]){ 40, 12, 13 }, 3);
}

TEST(needs_follow_the_type_of_a_column)
{
	const struct column count = { "n", "number", COLUMN_COUNT, 0, true, true };
	const struct column region = { "region", "region", COLUMN_NAME, 0, true, true };
	struct column_need need = column_need_of(&count, 3, 1, 80);

	assert_int_equal(need.want, 7); /* the title and the mark of the order */
	assert_int_equal(need.least, 7);
	need = column_need_of(&region, 90, 1, 80);
	assert_int_equal(need.want, 90);
	assert_int_equal(need.least, 20); /* a quarter of the table */
	need = column_need_of(&region, 90, 1, 24);
	assert_int_equal(need.least, 12);
	need = column_need_of(&region, 90, 1, 400);
	assert_int_equal(need.least, 40);
}

/* Widths and gaps never exceed the room; none has less than its least or more than it wants, but
 * the first where it is alone, and pictures; and nothing is left unused that could be. */
TEST(random_needs)
{
	srand(11);
	for (int round = 0; round < 20000; round++) {
		struct column_need needs[TABLE_COLUMNS];
		int widths[TABLE_COLUMNS], used = 0;
		const unsigned n = 1 + (unsigned)rand() % 12;
		const int room = 1 + rand() % 250, gap = 1 + rand() % 2;
		bool hungry = false, growing = false;

		for (unsigned i = 0; i < n; i++) {
			needs[i].want = 1 + rand() % 60;
			needs[i].least = rand() % 3 ? needs[i].want : 1 + rand() % needs[i].want;
			needs[i].name = rand() % 2;
			needs[i].grows = rand() % 8 == 0;
		}
		const unsigned fit = columns_fit(needs, n, gap, room, widths);
		assert_true(fit >= 1 && fit <= n);
		for (unsigned i = 0; i < fit; i++) {
			used += widths[i] + (i ? gap : 0);
			assert_true(widths[i] >= 1);
			assert_true(widths[i] >= needs[i].least || fit == 1);
			assert_true(widths[i] <= needs[i].want || needs[i].grows);
			hungry |= widths[i] < needs[i].want;
			growing |= needs[i].grows;
		}
		assert_true(used <= room);
		if (hungry || growing)
			assert_int_equal(used, room);
		if (fit < n)
			assert_true(used + gap + needs[fit].least > room || hungry ||
				    needs[fit].least > 0);
	}
}
