#include "ui/timeline/drawing/timeline_text.h"

#include "base/exchange.h"
#include "base/text.h"
#include "model/trace/gap.h"
#include "ui/timeline/drawing/timeline_draw.h"
#include "views/facts/difference.h"
#include "views/query/analyses.h"
#include "views/query/view_common.h"

enum { NARROWEST_TEXT = 20, LINES_ABOVE = 2, MOST_GAP_ROWS = 40, MOST_LINES = 100000 };

/* Lines for all rows: with room for arrows between them where there are not many. */
static int body_height(const struct timeline_rows *all, const struct query *query)
{
	const uint32_t depth = query->export.depth;
	const uint32_t under = query->difference + query->critical_path;
	const uint32_t rows = (uint32_t)all->list.n * (1u + under);

	if (rows == 0)
		return 1;
	if (depth && all->list.n < MOST_LINES / (depth + under + 1))
		return (int)((uint32_t)all->list.n * (depth + under + 1) - 1);
	return rows <= MOST_GAP_ROWS ? (int)rows * 2 - 1
				     : (int)(rows < MOST_LINES ? rows : MOST_LINES);
}

/* A line of entries, each a glyph and its title, as many to a line as fit. */
struct text_legend {
	struct str *out;
	int width, column;
	bool ascii;
};

static struct canvas legend_glyph(const struct text_legend *l)
{
	struct canvas one;

	canvas_init(&one, 2, 1, l->ascii);
	return one;
}

static void legend_add(struct text_legend *l, struct canvas *glyph, const char *title)
{
	const int wanted = 4 + text_width(title);

	if (l->column && l->column + wanted > l->width) {
		l->out->text[l->out->n - 1] = '\n';
		l->column = 0;
	}
	canvas_to_text(glyph, l->out);
	canvas_fini(glyph);
	l->out->text[l->out->n - 1] = ' '; /* its line goes on */
	str_add_fmt(l->out, "%s ", title);
	l->column += wanted;
}

/* What a glyph says that is of no state alone. */
static void legend_mark(struct text_legend *l, uint32_t glyph, const char *title)
{
	struct canvas one = legend_glyph(l);

	canvas_put(&one, 1, 0, glyph, ROLE_DEFAULT, ROLE_DEFAULT, 0);
	legend_add(l, &one, title);
}

static void legend_end(struct text_legend *l)
{
	if (l->column)
		l->out->text[l->out->n - 1] = '\n';
}

/* The classes and waits that occur; what has no glyph is told in words. */
static void add_legend(const struct timeline_picture *p, const struct query *query, bool ascii,
		       int width, struct str *out)
{
	const size_t cells = p->lanes.n * (size_t)p->options.width;
	struct text_legend legend = { out, width, 0, ascii };
	bool seen[256] = { false }, bars = false, corners = false;

	for (size_t i = 0; i < cells; i++) {
		const struct timeline_cell *c = &p->cells[i];

		seen[c->whole] = true;
		if (c->mixed && p->bar == 1)
			*(p->mixes.data[c->mix].of[CLASS_USER] ? &bars : &corners) = true;
	}
	for (unsigned s = 0; s < STATE_COUNT; s++) {
		OWNED_STR title = STR_INIT;

		if (!seen[s] || s == STATE_FILTERED)
			continue;
		if (s == CLASS_OUTSIDE)
			str_add(&title, "blank: not recorded");
		else
			timeline_state_text(query, s, &title);
		legend_mark(&legend, timeline_state_glyph(s, ascii), title.text);
	}
	if (bars)
		legend_mark(&legend, timeline_mixed_glyph(true, ascii),
			    ascii ? "user code and more" : "share of user code");
	if (corners)
		legend_mark(&legend, timeline_mixed_glyph(false, ascii), "several states");
	legend_end(&legend);
}

/* The ruler says when the window is, not how long the run is. */
static void add_window(const struct query *query, struct str *out)
{
	const struct timescale *units = trace_scale(query->trace);
	const struct span w = timeline_window(query), run = timeline_run(query);

	if (w.t0 <= run.t0 && w.t1 >= run.t1)
		return;
	str_add(out, " window: ");
	units_span(out, w.t0, w.t1, units, 4);
	str_add(out, " of ");
	units_human_time(out, run.t1 - 1 - run.t0, units, 3);
	str_add_char(out, '\n');
}

/* A gap is hatched where it is long enough to be seen; visits are estimated in any. */
static void add_gaps(const struct timeline_picture *p, const struct query *query, struct str *out)
{
	const size_t cells = p->lanes.n * (size_t)p->options.width;
	int64_t t0, t1, time = 0;
	bool hatched = false;

	query_span(query, &t0, &t1);
	for (uint32_t i = 0; i < query_location_count(query); i++)
		time += gap_time_in(query->trace, query->base, query_location(query, i), t0, t1);
	exchange_ticks(trace_exchange(query->trace), &time, 1);
	if (time == 0)
		return;
	for (size_t i = 0; i < cells && !hatched; i++)
		hatched = timeline_is_hatched(&p->cells[i]);
	str_add_fmt(out, " %c " GAP_MARK, hatched ? TIMELINE_HATCH : ' ');
	units_human_time(out, time, trace_scale(query->trace), 3);
	str_add(out, " in gaps: when functions began and ended there is estimated\n");
}

/* The steps of the lines below the rows. */
static void add_steps(const struct query *query, bool ascii, int width, struct str *out)
{
	const bool share = difference_is_share(query->base);
	struct text_legend legend = { out, width, 0, ascii };

	str_add_fmt(out,
		    share ? " share of %s times that %s removes:\n" : " shift from %s to %s:\n",
		    time_base_name(query->against), time_base_name(query->base));
	for (unsigned step = 1; step <= DIFFERENCE_STEPS; step++) {
		struct canvas one = legend_glyph(&legend);
		timeline_difference_put(&one, 1, 0, step, false);
		legend_add(&legend, &one, difference_step_name(share, step));
	}
	legend_end(&legend);
}

/* Of several processes the first one draws. */
static void draw(const struct timeline_view *view, const struct timeline_layout *layout, int width,
		 int height, struct str *out)
{
	const struct timeline_picture *picture = view->picture;
	const bool ascii = picture->options.ascii;
	struct canvas canvas;

	if (exchange_process(trace_exchange(view->query->trace)) == 0) {
		canvas_init(&canvas, width, height, ascii);
		canvas.mono = true;
		timeline_draw(view, layout, &canvas);
		canvas_to_text(&canvas, out);
		canvas_fini(&canvas);
		add_window(view->query, out);
		add_legend(picture, view->query, ascii, width, out);
	}
	add_gaps(picture, view->query, out);
	if (view->query->difference)
		add_steps(view->query, ascii, width, out);
}

static bool draw_text(const struct query *query, const struct timeline_rows *rows,
		      struct timeline_shades *shades, int width, int height, bool ascii,
		      struct str *out, struct err *err)
{
	struct timeline_picture picture = { 0 };
	struct timeline_strip strip = { 0 };
	const struct timeline_focus focus = { -1, NO_HIT, NO_HIT, NULL };
	const struct timeline_layout layout =
		timeline_layout(query, rows, (struct rect){ 0, 0, width, height }, 0);
	const struct timeline_options options = { .width = layout.body.w,
						  .height = layout.body.h,
						  .depth = query->export.depth,
						  .ascii = ascii,
						  .difference = query->difference,
						  .critical_path = query->critical_path,
						  .rows = rows };
	const struct timeline_view view = {
		.query = query, .picture = &picture, .strip = &strip, .focus = &focus
	};
	bool ok;

	ok = timeline_picture_make(&picture, query, shades, &options, err) &&
	     timeline_strip_begin(&strip, query, shades, layout.strip.w, err);
	if (ok) {
		timeline_strip_work(&strip, query, rows, shades, INT64_MAX, err);
		draw(&view, &layout, width, height, out);
	}
	timeline_picture_fini(&picture);
	timeline_strip_fini(&strip);
	return ok;
}

/* What is written has its wait states and causes: no picture of how far the analysis is. */
static bool has_waits(const struct query *query, struct err *err)
{
	struct analysis *analysis;

	return query->critical_path ? query_analysis(query, &analysis, err)
				    : query_wait_sums(query, err);
}

bool timeline_text(const struct query *query, int width, int height, bool ascii, struct str *out,
		   struct err *err)
{
	struct timeline_shades *shades = timeline_shades_new();
	struct timeline_rows rows = { .trace = NULL };
	bool ok = has_waits(query, err) && timeline_rows_make(&rows, query, shades, err);

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
