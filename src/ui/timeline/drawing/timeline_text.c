#include "ui/timeline/drawing/timeline_text.h"

#include "base/text.h"
#include "ui/timeline/drawing/timeline_draw.h"
#include "views/facts/difference.h"
#include "views/query/analyses.h"

enum { NARROWEST_TEXT = 20, LINES_ABOVE = 2, MOST_GAP_ROWS = 40 };

/* Lines for all rows: with room for arrows between them where there are not many. */
static int body_height(const struct timeline_rows *all, const struct query *query)
{
	const uint32_t rows =
		(uint32_t)all->list.n * (1u + query->difference + query->critical_path);

	if (rows == 0)
		return 1;
	return rows <= MOST_GAP_ROWS ? (int)rows * 2 - 1 : (int)(rows < 100000 ? rows : 100000);
}

/* What the glyphs stand for that occur. */
static void add_legend(const struct timeline_picture *p, bool ascii, int width, struct str *out)
{
	static const char *const names[CLASS_COUNT] = {
		[CLASS_USER] = "user code",        [CLASS_P2P] = "point-to-point",
		[CLASS_COLLECTIVE] = "collective", [CLASS_SYNC] = "synchronisation",
		[CLASS_IO] = "file I/O",           [CLASS_MPI_OTHER] = "other MPI",
		[CLASS_OVERHEAD] = "measurement"
	};
	const size_t cells = p->lanes.n * (size_t)p->options.width;
	bool seen[256] = { false };
	int column = 0;

	for (size_t i = 0; i < cells; i++)
		seen[p->cells[i].whole] = true;
	for (unsigned c = 0; c < CLASS_OUTSIDE; c++) {
		const int wanted = 4 + text_width(names[c]);
		struct canvas one;

		if (!seen[c])
			continue;
		if (column + wanted > width) {
			out->text[out->n - 1] = '\n';
			column = 0;
		}
		canvas_init(&one, wanted, 1, ascii);
		canvas_put(&one, 1, 0, theme_class_glyph(c, ascii), ROLE_DEFAULT, ROLE_DEFAULT, 0);
		canvas_text(&one, 3, 0, wanted - 3, names[c], ROLE_DEFAULT, ROLE_DEFAULT, 0);
		canvas_to_text(&one, out);
		canvas_fini(&one);
		out->text[out->n - 1] = ' '; /* its line goes on */
		column += wanted;
	}
	if (column)
		out->text[out->n - 1] = '\n';
}

/* What the lines below the rows say, and their steps. */
static void add_steps(const struct query *query, bool ascii, int width, struct str *out)
{
	const bool share = difference_is_share(query->base);
	int column = 0;

	str_add_fmt(out, share ? " share of %s that %s takes out:\n" : " moved from %s to %s:\n",
		    time_base_name(query->against), time_base_name(query->base));
	for (unsigned step = 1; step <= DIFFERENCE_STEPS; step++) {
		const char *name = difference_step_name(share, step);
		const int wanted = 4 + text_width(name);
		struct canvas one;

		if (column + wanted > width) {
			str_add_char(out, '\n');
			column = 0;
		}
		canvas_init(&one, 2, 1, ascii);
		timeline_difference_put(&one, 1, 0, step, false);
		canvas_to_text(&one, out);
		canvas_fini(&one);
		out->text[out->n - 1] = ' '; /* its line goes on */
		str_add(out, name);
		str_add_char(out, ' ');
		column += wanted;
	}
	out->text[out->n - 1] = '\n';
}

static bool draw_text(const struct query *query, const struct timeline_rows *rows,
		      struct timeline_shades *shades, int width, int height, bool ascii,
		      struct str *out, struct err *err)
{
	struct timeline_picture picture = { 0 };
	struct timeline_strip strip = { 0 };
	const struct timeline_focus focus = { -1, NO_HIT, NO_HIT };
	const struct timeline_layout layout =
		timeline_layout(query, rows, (struct rect){ 0, 0, width, height }, 0);
	const struct timeline_options options = { .width = layout.body.w,
						  .height = layout.body.h,
						  .ascii = ascii,
						  .difference = query->difference,
						  .critical_path = query->critical_path,
						  .rows = rows };
	struct canvas canvas;
	bool ok;

	canvas_init(&canvas, width, height, ascii);
	canvas.mono = true;
	ok = timeline_picture_make(&picture, query, shades, &options, err) &&
	     timeline_strip_begin(&strip, query, shades, layout.strip.w, err);
	if (ok) {
		timeline_strip_work(&strip, query, rows, shades, INT64_MAX, err);
		timeline_draw(&(struct timeline_view){ .query = query,
						       .picture = &picture,
						       .strip = &strip,
						       .focus = &focus },
			      &layout, &canvas);
		canvas_to_text(&canvas, out);
		add_legend(&picture, ascii, width, out);
		if (query->difference)
			add_steps(query, ascii, width, out);
	}
	canvas_fini(&canvas);
	timeline_picture_fini(&picture);
	timeline_strip_fini(&strip);
	return ok;
}

bool timeline_text(const struct query *query, int width, int height, bool ascii, struct str *out,
		   struct err *err)
{
	struct timeline_shades *shades = timeline_shades_new();
	struct timeline_rows rows = { .trace = NULL };
	/* What is written has its wait states: no picture of how far the analysis is. */
	bool ok = (!query->analyses ||
		   analyses_get(query->analyses, query->base, query->progress, err)) &&
		  timeline_rows_make(&rows, query, shades, err);

	if (width < NARROWEST_TEXT)
		width = NARROWEST_TEXT;
	if (height < 1)
		height = body_height(&rows, query) + LINES_ABOVE;
	if (height < 6)
		height = 6;
	ok = ok && draw_text(query, &rows, shades, width, height, ascii, out, err);
	timeline_rows_fini(&rows);
	timeline_shades_free(shades);
	return ok;
}
