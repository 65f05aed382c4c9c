#include "ui/panels/calls_bars.h"

#include <math.h>

unsigned calls_bars_used(const uint64_t *bins, unsigned *n)
{
	unsigned first = CALLS_BINS, end = 0;

	for (unsigned i = 0; i < CALLS_BINS; i++)
		if (bins[i]) {
			first = first < i ? first : i;
			end = i + 1;
		}
	*n = end > first ? end - first : 0;
	return first;
}

int calls_bars_width(unsigned n, int w)
{
	const int each = n ? (w - 2 * BARS_MARGIN) / (int)n : 0;

	return each > 6 ? 6 : each < 1 ? 1 : each;
}

/* One bar: the logarithm of its count, so that one call can be seen beside millions. Without
 * colours those that are not chosen are light. */
static void draw_bar(struct canvas *canvas, struct rect r, double share, bool chosen)
{
	enum { STEPS = 8 };
	const int steps = (int)ceil(share * r.h * STEPS);
	const enum glyph full =
		chosen || !(canvas->mono || canvas->ascii) ? GLYPH_FULL : GLYPH_LIGHT_SHADE;

	for (int line = 0; line < r.h; line++) {
		const int here = steps - line * STEPS;
		for (int i = 0; here > 0 && i < r.w; i++)
			canvas_glyph(canvas, r.x + i, r.y + r.h - 1 - line,
				     here >= STEPS || full != GLYPH_FULL
					     ? full
					     : (enum glyph)(GLYPH_BAR_1 + here - 1),
				     chosen ? ROLE_PROGRESS : ROLE_MUTED);
	}
}

void calls_bars_draw(const struct calls_bars *b, struct canvas *canvas, struct rect area)
{
	const uint64_t *bins = b->bins;
	unsigned n;
	const unsigned first = calls_bars_used(bins, &n);
	const int width = calls_bars_width(n, area.w);
	uint64_t most = 1;
	int free_from = area.x;

	for (unsigned i = 0; i < CALLS_BINS; i++)
		most = bins[i] > most ? bins[i] : most;
	for (unsigned i = first; i < first + n; i++) {
		const int x = area.x + BARS_MARGIN + (int)(i - first) * width;
		const bool in = b->from == NO_BIN || (i >= b->from && i <= b->to);
		const struct rect bar = { x, area.y, width > 2 ? width - 1 : width, BARS };

		if (bins[i])
			draw_bar(canvas, bar, log1p((double)bins[i]) / log1p((double)most), in);
		if ((i % 3 == 0 || i == first) && x >= free_from) {
			OWNED_STR label = STR_INIT;
			calls_bin_name(i, &label);
			free_from = x + 1 +
				    canvas_write(canvas, x, area.y + BARS, area.x + area.w - x,
						 label.text,
						 b->choosing && in ? ROLE_VALUE : ROLE_MUTED);
		}
	}
}
