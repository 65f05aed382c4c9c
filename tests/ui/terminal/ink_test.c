/* Cells drawn another way look the same, and share their neighbour's colours where they can. */
#include "harness/test.h"
#include "ui/terminal/ink.h"

#include <stdlib.h>

#include "harness/random.h"
#include "ui/canvas/canvas.h"

enum { COLOURS = 3, WIDTH = 40 };

static struct ink ink(uint32_t ch, int fg, int bg)
{
	return (struct ink){ ch, fg, bg, 0 };
}

/* What the eye sees of a cell: colours of its left, right, upper and lower half, or a character. */
struct seen {
	uint32_t ch;
	int ink, half[4];
	unsigned attr;
};

static struct seen see(const struct ink *i)
{
	const int f = i->fg, b = i->bg;

	switch (i->ch) {
	case ' ': return (struct seen){ 0, 0, { b, b, b, b }, 0 };
	case 0x258c: return (struct seen){ 0, 0, { f, b, -2, -2 }, i->attr };
	case 0x2590: return (struct seen){ 0, 0, { b, f, -2, -2 }, i->attr };
	case 0x2580: return (struct seen){ 0, 0, { -2, -2, f, b }, i->attr };
	case 0x2584: return (struct seen){ 0, 0, { -2, -2, b, f }, i->attr };
	default: return (struct seen){ i->ch, f, { b, b, b, b }, i->attr };
	}
}

static void assert_same_look(const struct ink *a, const struct ink *b)
{
	const struct seen x = see(a), y = see(b);

	assert_memory_equal(&x, &y, sizeof x);
}

static bool same_pair(const struct ink *a, const struct ink *b)
{
	return a->fg == b->fg && a->bg == b->bg;
}

static unsigned changes(const struct ink *row)
{
	unsigned n = 0;

	for (int x = 1; x < WIDTH; x++)
		n += !same_pair(&row[x], &row[x - 1]) || row[x].attr != row[x - 1].attr;
	return n;
}

TEST(rows_look_the_same_and_change_less)
{
	static const uint32_t chars[] = { ' ', ' ', 0x258c, 0x2590, 0x2580, 0x2584, 0x2591, 'a' };
	struct rng r = { 5 };
	unsigned before = 0, after = 0;

	for (int i = 0; i < 2000; i++) {
		struct ink want[WIDTH], ahead[WIDTH], drawn[WIDTH];
		for (int x = 0; x < WIDTH; x++) {
			want[x] = ink(chars[rng_below(&r, 8)], (int)rng_below(&r, COLOURS + 1) - 1,
				      (int)rng_below(&r, COLOURS + 1) - 1);
			if (rng_below(&r, 16) == 0)
				want[x].attr = ATTR_REVERSE;
		}
		ink_ahead(want, WIDTH, ahead);
		for (int x = 0; x < WIDTH; x++) {
			drawn[x] = ink_choose(&want[x], x ? &drawn[x - 1] : NULL,
					      x + 1 < WIDTH ? &ahead[x + 1] : NULL);
			if (want[x].ch != ' ' || !want[x].attr)
				assert_same_look(&want[x], &drawn[x]);
		}
		before += changes(want);
		after += changes(drawn);
	}
	assert_true(after < before);
}

TEST(a_bar_is_one_pair)
{
	/* Blank, half into the other colour, blank there, half back, text. */
	const struct ink want[] = { ink(' ', 2, 1), ink(0x258c, 1, 0), ink(' ', 2, 0),
				    ink(0x258c, 0, 1), ink(' ', 2, 1) };
	struct ink drawn[5];
	unsigned pairs = 0;

	for (int x = 0; x < 5; x++) {
		drawn[x] =
			ink_choose(&want[x], x ? &drawn[x - 1] : NULL, x < 4 ? &want[x + 1] : NULL);
		pairs += x == 0 || !same_pair(&drawn[x], &drawn[x - 1]);
	}
	assert_int_equal(pairs, 3);
	assert_true(same_pair(&drawn[2], &drawn[1]));
	/* The second half block is the first one's mirror. */
	assert_true(same_pair(&drawn[3], &drawn[1]));
	assert_int_equal(drawn[3].ch, 0x2590);
}

TEST(the_terminals_own_ground_stays)
{
	const struct ink left = ink('a', 2, -1), blank = ink(' ', -1, -1);
	const struct ink drawn = ink_choose(&blank, &left, NULL);

	assert_true(same_pair(&drawn, &blank));
}
