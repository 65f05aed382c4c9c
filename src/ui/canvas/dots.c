#include "ui/canvas/dots.h"

#include "base/mem.h"

enum { BRAILLE = 0x2800 };

void dots_init(struct dots *dots, int w, int h)
{
	*dots = (struct dots){ .w = w > 0 ? w : 0, .h = h > 0 ? h : 0 };
	dots->cells = xcalloc((size_t)dots->w * (size_t)dots->h + 1, sizeof *dots->cells);
	dots->closed = xcalloc((size_t)dots->h + 1, sizeof *dots->closed);
}

void dots_fini(struct dots *dots)
{
	free_all(dots->cells, dots->closed);
	*dots = (struct dots){ 0 };
}

void dots_close(struct dots *dots, int y)
{
	if (y >= 0 && y < dots->h)
		dots->closed[y] = true;
}

void dots_put(struct dots *dots, int64_t x, int64_t y, enum role role)
{
	/* The fourth row came to Braille later than the other three. */
	static const uint8_t bits[4][2] = {
		{ 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 }
	};
	struct dot_cell *cell;

	if (x < 0 || y < 0 || x >= 2 * (int64_t)dots->w || y >= 4 * (int64_t)dots->h ||
	    dots->closed[y / 4])
		return;
	cell = &dots->cells[y / 4 * dots->w + x / 2];
	cell->bits |= bits[y % 4][x % 2];
	cell->role = (uint8_t)role;
}

/* a * b / c to the nearest, halves away from zero: the way back has the same dots. */
static int64_t scaled(int64_t a, int64_t b, int64_t c)
{
	const int64_t n = 2 * a * b;

	return n < 0 ? -((c - n) / (2 * c)) : (n + c) / (2 * c);
}

static int64_t nearest(int64_t from, int64_t to, int64_t steps, int64_t step)
{
	return from + scaled(to - from, step, steps);
}

static void steep(struct dots *dots, int64_t x0, int64_t y0, int64_t x1, int64_t y1, enum role role)
{
	const int64_t last = 4 * (int64_t)dots->h - 1;

	for (int64_t y = y0 > 0 ? y0 : 0; y <= y1 && y <= last; y++)
		dots_put(dots, y1 == y0 ? x0 : nearest(x0, x1, y1 - y0, y - y0), y, role);
}

static void shallow(struct dots *dots, int64_t x0, int64_t y0, int64_t x1, int64_t y1,
		    enum role role)
{
	const int64_t last = 2 * (int64_t)dots->w - 1;

	for (int64_t x = x0 > 0 ? x0 : 0; x <= x1 && x <= last; x++)
		dots_put(dots, x, nearest(y0, y1, x1 - x0, x - x0), role);
}

void dots_line(struct dots *dots, int64_t x0, int64_t y0, int64_t x1, int64_t y1, enum role role)
{
	const int64_t dx = x1 > x0 ? x1 - x0 : x0 - x1, dy = y1 > y0 ? y1 - y0 : y0 - y1;

	if (dx > dy && x0 <= x1)
		shallow(dots, x0, y0, x1, y1, role);
	else if (dx > dy)
		shallow(dots, x1, y1, x0, y0, role);
	else if (y0 <= y1)
		steep(dots, x0, y0, x1, y1, role);
	else
		steep(dots, x1, y1, x0, y0, role);
}

void dots_draw(const struct dots *dots, struct canvas *canvas, int x, int y)
{
	for (int row = 0; row < dots->h; row++)
		for (int column = 0; column < dots->w; column++) {
			const struct dot_cell *cell = &dots->cells[row * dots->w + column];

			if (cell->bits)
				canvas_put(canvas, x + column, y + row, BRAILLE | cell->bits,
					   (enum role)cell->role, ROLE_KEEP, 0);
		}
}
