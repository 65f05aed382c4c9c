#include "ui/timeline/drawing/timeline_critical.h"

#include "base/units.h"
#include "patterns/causes/critical_stretch.h"
#include "ui/canvas/theme.h"

/* ---- drawing ---- */

uint32_t timeline_critical_glyph(bool ascii)
{
	return ascii ? '=' : 0x2501; /* heavy line */
}

/* The line of a row that is the path's: the last one below its bar. */
static int line_of(const struct timeline_picture *p, int32_t row)
{
	return timeline_row_y(p, (uint32_t)row) + timeline_row_lines(p) - 1;
}

struct brush {
	const struct timeline_picture *p;
	struct rect body;
	struct canvas *canvas;
};

static void put(const struct brush *b, int x, int y, uint32_t ch)
{
	if (y >= 0 && y < b->body.h)
		canvas_put(b->canvas, b->body.x + x, b->body.y + y, ch, ROLE_CRITICAL, ROLE_DEFAULT,
			   0);
}

/* Lines between bars: the paths' own, and those between rows. */
static bool is_free(const struct timeline_picture *p, int y)
{
	const int lines = timeline_row_lines(p);

	return y % (lines + p->gap) >= lines - 1;
}

/* From the one line to the bar above which it goes on, or up to the other line; under the bars. */
static void draw_passage(const struct brush *b, const struct timeline_passage *passage)
{
	const bool ascii = b->canvas->ascii, down = passage->to > passage->from;
	const int upper = line_of(b->p, down ? passage->from : passage->to);
	const int lower = timeline_row_y(b->p, (uint32_t)(down ? passage->to : passage->from)) - 1;

	for (int y = upper + 1; y <= lower; y++)
		if (is_free(b->p, y))
			put(b, passage->column, y, ascii ? '|' : 0x2503);
	put(b, passage->column, upper, ascii ? '+' : down ? 0x2513 : 0x250f);
	if (down)
		put(b, passage->column, lower, theme_glyph(GLYPH_TIP_DOWN, ascii));
	else if (upper < lower)
		put(b, passage->column, upper + 1, theme_glyph(GLYPH_TIP_UP, ascii));
}

void timeline_critical_draw(const struct timeline_picture *p, struct rect body,
			    struct canvas *canvas)
{
	const struct brush b = { p, body, canvas };
	const int width = p->options.width;

	for (uint32_t i = 0; p->critical && i < p->visible; i++)
		for (int x = 0; x < width; x++)
			if (p->critical[(size_t)i * (size_t)width + (size_t)x])
				put(&b, x, line_of(p, (int32_t)i),
				    timeline_critical_glyph(canvas->ascii));
	for (size_t i = 0; p->passages_all && i < p->passages.n; i++)
		draw_passage(&b, &p->passages.data[i]);
}

/* ---- words ---- */

void timeline_critical_text(const struct timeline_item *item, const struct query *query,
			    struct str *out)
{
	size_t n;
	const struct path_stretch *path = timeline_critical_path(query, &n);
	int64_t sum;

	if (!path || !item->known || item->t1 <= item->t0)
		return;
	sum = critical_stretch_sum(path, n, item->location, item->t0, item->t1);
	if (sum == 0) {
		str_add(out, "not on the critical path");
		return;
	}
	str_add(out, "on the critical path");
	if (sum == item->t1 - item->t0)
		return;
	str_add(out, " for ");
	units_human_time(out, sum, trace_scale(query->trace), 4);
	str_add_fmt(out, " (%.1f %%)", 100 * (double)sum / (double)(item->t1 - item->t0));
}
