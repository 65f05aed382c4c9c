/* Rows that have moved up or down are found, by what is done to a list. */
#include "harness/test.h"
#include "ui/terminal/scroll.h"

#include <string.h>

#include "harness/random.h"

enum { W = 30, H = 24 };

static void any_row(struct rng *r, struct cell *row)
{
	for (int x = 0; x < W; x++)
		row[x] = (struct cell){ .ch = 'a' + rng_below(r, 26) };
}

/* A frame's lists [top, bottom) move under what stands, and rows come in. */
TEST(moved_lists_are_found)
{
	struct cell new[W * H], old[W * H];
	struct rng r = { 5 };

	for (int turn = 0; turn < 500; turn++) {
		const int top = (int)rng_below(&r, 8);
		const int bottom = top + 6 + (int)rng_below(&r, (uint32_t)(H - top - 6) + 1);
		const int most = bottom - top - 3;
		const int by = (1 + (int)rng_below(&r, (uint32_t)most)) * (turn % 2 ? 1 : -1);
		struct scroll s;

		for (int y = 0; y < H; y++)
			any_row(&r, &old[y * W]);
		memcpy(new, old, sizeof new);
		for (int y = top; y < bottom; y++)
			if (y + by >= top && y + by < bottom)
				memcpy(&new[y * W], &old[(y + by) * W], W * sizeof *new);
			else
				any_row(&r, &new[y * W]);
		s = scroll_find(new, old, W, H);
		assert_int_equal(s.by, by);
		assert_int_equal(s.top, top);
		assert_int_equal(s.bottom, bottom);
	}
}

TEST(what_stands_or_is_new_does_not_move)
{
	struct cell new[W * H], old[W * H];
	struct rng r = { 6 };

	for (int y = 0; y < H; y++)
		any_row(&r, &old[y * W]);
	memcpy(new, old, sizeof new);
	assert_int_equal(scroll_find(new, old, W, H).by, 0);
	for (int y = 2; y < H; y++)
		any_row(&r, &new[y * W]);
	assert_int_equal(scroll_find(new, old, W, H).by, 0);
	/* Two rows are not worth it, blanks that are where they were are none. */
	memcpy(new, old, sizeof new);
	memcpy(&new[5 * W], &old[6 * W], 2 * W * sizeof *new);
	assert_int_equal(scroll_find(new, old, W, H).by, 0);
}
