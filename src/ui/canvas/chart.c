#include "ui/canvas/chart.h"
#include "base/text.h"

/* Not quite as high as the line, so that bars below each other stay apart; without colours parts
 * differ by their shade. */
static uint32_t glyph_of(unsigned part, const struct canvas *canvas)
{
	static const enum glyph shades[] = { GLYPH_FULL, GLYPH_MEDIUM_SHADE, GLYPH_LIGHT_SHADE,
					     GLYPH_DARK_SHADE, GLYPH_ALONE };

	return theme_glyph(canvas->mono || canvas->ascii ? shades[part % 5] : GLYPH_BAR_1 + 6,
			   canvas->ascii);
}

static void draw_parts(struct canvas *canvas, int x, int y, int w, const struct table_chart *chart,
		       enum role bg)
{
	double all = 0, end;
	unsigned part = 0;
	int cells;

	for (unsigned p = 0; p < chart->n; p++)
		all += chart->values[p];
	cells = (int)((all < 1 ? all : 1) * w + 0.5);
	end = chart->n ? chart->values[0] : 0;
	for (int i = 0; i < cells; i++) {
		const double at = (i + 0.5) / cells * all;

		while (part + 1 < chart->n && at >= end)
			end += chart->values[++part];
		canvas_put(canvas, x + i, y, glyph_of(part, canvas),
			   theme_role(chart->parts[part].role), bg, 0);
	}
	if (!cells && all > 0)
		canvas_put(canvas, x, y, theme_glyph(GLYPH_LINE_V, canvas->ascii), ROLE_MUTED, bg,
			   0);
}

static void draw_columns(struct canvas *canvas, int x, int y, const struct table_chart *chart,
			 enum role bg)
{
	enum { STEPS = 7 /* rows below each other stay apart */ };

	for (unsigned i = 0; i < chart->n; i++) {
		const int step = (int)(chart->values[i] * STEPS + 0.999);
		const bool any = step > 0;
		const int bar = GLYPH_BAR_1 + (step < STEPS ? step : STEPS) - 1;

		canvas_put(canvas, x + (int)i, y,
			   theme_glyph(any ? (enum glyph)bar : GLYPH_DOT, canvas->ascii),
			   any ? ROLE_PROGRESS : ROLE_MUTED, bg, 0);
	}
}

void chart_draw(struct canvas *canvas, int x, int y, int w, const struct table_chart *chart,
		enum role bg)
{
	if (chart->parts)
		draw_parts(canvas, x, y, w, chart, bg);
	else
		draw_columns(canvas, x, y, chart, bg);
}

void chart_stack(struct canvas *canvas, int x, int y, int h, const struct table_chart *chart)
{
	const bool shaded = canvas->mono || canvas->ascii;
	double end = chart->n ? chart->values[0] : 0;
	unsigned part = 0;

	for (int i = 0; i < h; i++) {
		const double at = (i + 0.5) / h;

		while (part < chart->n && at >= end)
			end += ++part < chart->n ? chart->values[part] : 0;
		if (part == chart->n)
			return;
		canvas_put(canvas, x, y + h - 1 - i,
			   shaded ? glyph_of(part, canvas) : theme_glyph(GLYPH_FULL, canvas->ascii),
			   theme_role(chart->parts[part].role), ROLE_DEFAULT, 0);
	}
}

/* ---- legend ---- */

enum { SIGN = 2, BETWEEN = 2 };

int chart_legend_width(const struct chart_part *parts, unsigned n)
{
	int w = 0;

	for (unsigned p = 0; p < n; p++)
		w += (p ? BETWEEN : 0) + SIGN + text_width(parts[p].name);
	return w;
}

void chart_legend(struct canvas *canvas, int x, int y, int w, const struct chart_part *parts,
		  unsigned n)
{
	const int end = x + w;

	for (unsigned p = 0; p < n; p++) {
		canvas_put(canvas, x, y, glyph_of(p, canvas), theme_role(parts[p].role),
			   ROLE_DEFAULT, 0);
		x += SIGN + BETWEEN +
		     canvas_write(canvas, x + SIGN, y, end - x - SIGN, parts[p].name, ROLE_MUTED);
	}
}
