/* Lines of Braille dots, against lines drawn by hand. */
#include "harness/random.h"
#include "harness/test.h"
#include "ui/canvas/dots.h"

/* The raster as rows of dots: 'o' a dot, '.' none. */
static void dots_are(const struct dots *dots, const char *const *rows)
{
	static const uint8_t bits[8] = { 0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80 };

	for (int y = 0; y < 4 * dots->h; y++)
		for (int x = 0; x < 2 * dots->w; x++) {
			const struct dot_cell *cell = &dots->cells[y / 4 * dots->w + x / 2];
			const bool dot = cell->bits & bits[y % 4 * 2 + x % 2];

			if (dot != (rows[y][x] == 'o'))
				fail_msg("dot %d of row %d is %d", x, y, dot);
		}
}

static void line_is(int w, int h, const int64_t ends[4], const char *const *rows)
{
	for (int way = 0; way < 2; way++) {
		ENDED_BY(dots_fini) struct dots dots;

		dots_init(&dots, w, h);
		dots_line(&dots, ends[way ? 2 : 0], ends[way ? 3 : 1], ends[way ? 0 : 2],
			  ends[way ? 1 : 3], ROLE_MESSAGE);
		dots_are(&dots, rows);
	}
}

#define LINE(w, h, x0, y0, x1, y1, ...) \
	line_is(w, h, (const int64_t[]){ x0, y0, x1, y1 }, (const char *const[]){ __VA_ARGS__ })

TEST(lines_in_all_directions)
{
	LINE(3, 1, 0, 0, 5, 0, "oooooo", "......", "......", "......");
	LINE(1, 2, 1, 1, 1, 6, "..", ".o", ".o", ".o", ".o", ".o", ".o", "..");
	LINE(2, 1, 0, 0, 3, 3, "o...", ".o..", "..o.", "...o");
	LINE(2, 1, 3, 0, 0, 3, "...o", "..o.", ".o..", "o...");
	LINE(1, 1, 1, 2, 1, 2, "..", "..", ".o", "..");
}

/* A slope of 1 in 3: rows 0, 1/3, 2/3, 1, 4/3, 5/3, 2 are 0 0 1 1 1 2 2; and steep, the same with
 * x and y exchanged. */
TEST(one_dot_in_every_column_or_row)
{
	LINE(4, 1, 0, 0, 6, 2, "oo......", "..ooo...", ".....oo.", "........");
	LINE(2, 2, 0, 0, 2, 6, "o...", "o...", ".o..", ".o..", ".o..", "..o.", "..o.", "....");
	LINE(2, 2, 2, 0, 0, 6, "..o.", "..o.", ".o..", ".o..", ".o..", "o...", "o...", "....");
}

/* What is outside is left out, and the rest is where it would be: of a line from -4 to 4, and of
 * ones that begin or end far away. */
TEST(ends_outside)
{
	LINE(2, 1, -4, -4, 4, 4, "o...", ".o..", "..o.", "...o");
	LINE(2, 1, -(INT64_C(1) << 40), 1, INT64_C(1) << 40, 1, "....", "oooo", "....", "....");
	LINE(2, 1, 0, 0, INT64_C(1) << 40, 3, "oooo", "....", "....", "....");
	LINE(2, 1, 2, -(INT64_C(1) << 20), 2, INT64_C(1) << 20, "..o.", "..o.", "..o.", "..o.");
	LINE(2, 1, 4, 0, 4, 3, "....", "....", "....", "....");
}

/* Every line has one dot in each row or column of its longer side. */
TEST(lines_have_no_holes)
{
	struct rng rng = { 7 };

	for (int i = 0; i < 2000; i++) {
		ENDED_BY(dots_fini) struct dots dots;
		int v[4], n = 0, dx, dy;

		for (int k = 0; k < 4; k++)
			v[k] = (int)(rng_next(&rng) % 24);
		dots_init(&dots, 12, 6);
		dots_line(&dots, v[0], v[1], v[2], v[3], ROLE_MESSAGE);
		for (int k = 0; k < 12 * 6; k++)
			n += __builtin_popcount(dots.cells[k].bits);
		dx = abs(v[2] - v[0]);
		dy = abs(v[3] - v[1]);
		assert_int_equal(n, 1 + (dx > dy ? dx : dy));
	}
}

/* Dots of lines that share a cell are added up; the last role colours it. A closed line of cells
 * has none. What is behind keeps its colour. */
TEST(cells_are_shared)
{
	ENDED_BY(canvas_fini) struct canvas c;
	ENDED_BY(dots_fini) struct dots dots;

	canvas_init(&c, 3, 3, false);
	canvas_fill(&c, (struct rect){ 0, 0, 3, 3 }, 'x', ROLE_LABEL, ROLE_SELECTION);
	dots_init(&dots, 2, 3);
	dots_close(&dots, 1);
	dots_line(&dots, 0, 0, 0, 11, ROLE_MESSAGE);
	dots_line(&dots, 1, 0, 1, 2, ROLE_CRITICAL);
	dots_draw(&dots, &c, 1, 0);
	assert_int_equal(c.cells[1].ch, 0x2800 + 0x47 + 0x38);
	assert_int_equal(c.cells[1].fg, ROLE_CRITICAL);
	assert_int_equal(c.cells[1].bg, ROLE_SELECTION);
	assert_int_equal(c.cells[2].ch, 'x');
	assert_int_equal(c.cells[4].ch, 'x');
	assert_int_equal(c.cells[7].ch, 0x2800 + 0x47);
	assert_int_equal(c.cells[7].fg, ROLE_MESSAGE);
}
