#include "ui/timeline/drawing/timeline_draw.h"

#include "base/text.h"
#include "ui/timeline/drawing/timeline_critical.h"
#include "ui/timeline/drawing/timeline_parts_draw.h"

/* ---- layout ---- */

enum { WIDEST_LABEL = 24 };

struct timeline_layout timeline_layout(const struct query *query, const struct timeline_rows *rows,
				       struct rect area, int details_lines)
{
	const int limit = area.w / 4 < WIDEST_LABEL ? area.w / 4 : WIDEST_LABEL;
	const int labels = timeline_label_width(query, rows, limit > 4 ? limit : 4);
	struct timeline_layout l = { .strip = area };
	const int x = area.x + labels + 2;
	const int w = area.w - labels - 3 > 1 ? area.w - labels - 3 : 1;
	int y = area.y, h = area.h;

	if (h < details_lines + 4)
		details_lines = h > 4 ? 1 : 0;
	l.details = (struct rect){ area.x + 1, area.y + area.h - details_lines, area.w - 2,
				   details_lines };
	h -= details_lines;
	l.strip = (struct rect){ x, y, w, h >= 6 };
	y += l.strip.h;
	h -= l.strip.h;
	l.ruler = (struct rect){ x, y, w, h >= 3 };
	y += l.ruler.h;
	h -= l.ruler.h;
	l.labels = (struct rect){ area.x + 1, y, labels, h };
	l.body = (struct rect){ x, y, w, h };
	return l;
}

/* ---- strip and ruler ---- */

/* Beside the window's cells, which may be one: it never covers them. */
static void put_bracket(struct canvas *canvas, int64_t x, int y, enum glyph glyph)
{
	canvas_put(canvas, (int)x, y, theme_glyph(glyph, canvas->ascii), ROLE_VALUE, ROLE_DEFAULT,
		   ATTR_BOLD);
}

static void draw_strip(const struct timeline_view *v, const struct timeline_layout *l,
		       struct canvas *canvas)
{
	const struct span w = timeline_window(v->query), run = timeline_run(v->query);
	const struct time_scale s = { run.t0, run.t1, l->strip.w > 0 ? l->strip.w : 1 };

	canvas_write(canvas, l->labels.x, l->strip.y, l->labels.w, "run", ROLE_MUTED);
	for (int x = 0; x < l->strip.w && x < v->strip->width; x++)
		timeline_stack_put(canvas, (struct rect){ l->strip.x + x, l->strip.y, 1, 1 },
				   &v->strip->mixes[x], 0);
	if (w.t0 <= run.t0 && w.t1 >= run.t1)
		return;
	put_bracket(canvas, l->strip.x + time_scale_column(&s, w.t0) - 1, l->strip.y,
		    GLYPH_BRACKET_LEFT);
	put_bracket(canvas, l->strip.x + time_scale_column(&s, w.t1 - 1) + 1, l->strip.y,
		    GLYPH_BRACKET_RIGHT);
}

static void put_ruler(const struct ruler *ruler, struct canvas *canvas, int x, int y)
{
	for (int i = 0; i < ruler->n; i++) {
		const struct ruler_tick *t = &ruler->ticks[i];

		if (t->column >= 0)
			canvas_glyph(canvas, x + t->column, y, GLYPH_LINE_V, ROLE_FRAME);
		canvas_write(canvas, x + t->column + 1, y, t->width, t->label, ROLE_HEADER);
	}
}

void timeline_draw_ruler(const struct time_scale *scale, const struct timescale *units,
			 struct canvas *canvas, int x, int y)
{
	struct ruler ruler;

	ruler_make(&ruler, scale, units);
	put_ruler(&ruler, canvas, x, y);
}

/* Where the ruler counts iterations its label says so, and whose they are. */
static void draw_iterations(const struct timeline_view *v, const struct timeline_layout *l,
			    struct canvas *canvas)
{
	struct ruler ruler;

	for (unsigned i = 0; i < TIMELINE_LOOPS && v->iterations[i].begin; i++) {
		ruler_make_iterations(&ruler, &v->picture->scale, v->iterations[i].begin,
				      v->iterations[i].n);
		put_ruler(&ruler, canvas, l->ruler.x, l->ruler.y);
	}
	canvas_write(canvas, l->labels.x, l->ruler.y, l->labels.w,
		     l->labels.w < 10 ? "iter." : "iteration", ROLE_MUTED);
}

static void draw_counters(const struct timeline_view *v, struct rect body, struct canvas *canvas)
{
	const struct timeline_picture *p = v->picture;

	for (size_t i = 0; i < p->counters.n; i++) {
		const int y = timeline_row_y(p, p->counters.data[i].nth);
		const int lines = y + p->bar <= body.h ? p->bar : body.h - y;

		if (lines > 0)
			timeline_counter_draw(p, &p->counters.data[i],
					      (struct rect){ body.x, body.y + y, body.w, lines },
					      canvas);
	}
}

/* Below the rows, where there is room: how many messages begin in a column, when they are too many
 * to be drawn one by one. */
static void draw_density(const struct timeline_view *v, const struct timeline_layout *l,
			 struct canvas *canvas)
{
	const struct timeline_picture *p = v->picture;
	const int y =
		p->visible ? timeline_row_y(p, p->visible - 1) + timeline_row_lines(p) + 1 : 1;
	OWNED_STR text = STR_INIT;
	uint32_t most = 0;

	if (p->density.n == 0 || y >= l->body.h)
		return;
	for (size_t x = 0; x < p->density.n; x++)
		most = p->density.data[x] > most ? p->density.data[x] : most;
	for (size_t x = 0; x < p->density.n; x++) {
		const uint64_t n = p->density.data[x];
		const uint64_t step = n ? (n * 8 + most - 1) / most : 0;

		canvas_put(canvas, l->body.x + (int)x, l->body.y + y,
			   step ? theme_glyph((enum glyph)(GLYPH_BAR_1 + step - 1), canvas->ascii)
				: ' ',
			   ROLE_MUTED, ROLE_DEFAULT, 0);
	}
	canvas_write(canvas, l->labels.x, l->body.y + y, l->labels.w,
		     l->labels.w < 9 ? "msgs" : "messages", ROLE_MUTED);
	units_count(&text, most);
	if (l->labels.w >= 9 + text_width(text.text))
		canvas_text_right(canvas, l->labels.x, l->body.y + y, l->labels.w, text.text,
				  ROLE_MUTED, ROLE_DEFAULT);
}

enum { DOTTED_LINE = 0x250a };

/* ---- cursor and selection ---- */

static void draw_selection(const struct timeline_view *v, const struct timeline_layout *l,
			   struct canvas *canvas)
{
	const struct time_scale *s = &v->picture->scale;
	int64_t x0, x1;

	if (v->select.t0 >= v->select.t1 || v->select.t1 <= s->t0 || v->select.t0 >= s->t1)
		return;
	x0 = time_scale_column(s, v->select.t0);
	x1 = time_scale_column(s, v->select.t1 - 1);
	if (x0 < 0)
		x0 = 0;
	if (x1 >= s->n)
		x1 = s->n - 1;
	canvas_paint(canvas,
		     (struct rect){ l->ruler.x + (int)x0, l->ruler.y, (int)(x1 - x0) + 1,
				    l->ruler.h },
		     ROLE_SELECTION, ROLE_SELECTION, 0);
	for (int y = 0; y < l->body.h; y++)
		if (timeline_between_rows(v->picture, y))
			canvas_paint(canvas,
				     (struct rect){ l->body.x + (int)x0, l->body.y + y,
						    (int)(x1 - x0) + 1, 1 },
				     ROLE_KEEP, ROLE_SELECTION, 0);
}

/* A thin line through the lines between rows under the arrows, and the cell in the cursor's row. */
static void draw_cursor_line(const struct timeline_view *v, const struct timeline_layout *l,
			     struct canvas *canvas)
{
	const int64_t x = time_scale_column(&v->picture->scale, v->cursor_time);

	if (!v->cursor || x < 0 || x >= v->picture->scale.n)
		return;
	for (int y = 0; y < l->body.h; y++)
		if (timeline_between_rows(v->picture, y))
			canvas_put(canvas, l->body.x + (int)x, l->body.y + y,
				   canvas->ascii ? ':' : DOTTED_LINE, ROLE_FRAME, ROLE_KEEP, 0);
}

/* Is a letter of a name there, on line y of the body? */
static bool is_name(const struct timeline_picture *p, int x, int y)
{
	for (size_t i = 0; i < p->labels.n; i++) {
		const struct timeline_label *label = &p->labels.data[i];
		const struct timeline_lane *lane = &p->lanes.data[label->lane];

		if (y == lane->y + (lane->lines - 1) / 2 && x >= label->x &&
		    x < label->x + label->width)
			return true;
	}
	return false;
}

static void draw_cursor(const struct timeline_view *v, const struct timeline_layout *l,
			struct canvas *canvas)
{
	const int64_t x = time_scale_column(&v->picture->scale, v->cursor_time);
	const int32_t row = v->focus->row;

	if (!v->cursor || x < 0 || x >= v->picture->scale.n)
		return;
	canvas_paint(canvas, (struct rect){ l->ruler.x + (int)x, l->ruler.y, 1, l->ruler.h },
		     ROLE_VALUE, ROLE_DEFAULT, ATTR_REVERSE);
	if (row < 0 || row >= (int32_t)v->picture->visible)
		return;
	for (int i = 0; i < v->picture->bar; i++) {
		const int y = timeline_row_y(v->picture, (uint32_t)row) + i;
		const struct rect cell = { l->body.x + (int)x, l->body.y + y, 1, 1 };

		/* A name keeps its letter. */
		if (is_name(v->picture, (int)x, y))
			canvas_paint(canvas, cell, ROLE_VALUE, ROLE_DEFAULT, ATTR_REVERSE);
		else
			canvas_put(canvas, cell.x, cell.y, theme_glyph(GLYPH_LINE_V, canvas->ascii),
				   ROLE_VALUE, ROLE_DEFAULT, ATTR_REVERSE);
	}
}

void timeline_draw(const struct timeline_view *v, const struct timeline_layout *l,
		   struct canvas *canvas)
{
	const struct time_scale *s = &v->picture->scale;

	if (l->strip.h && v->strip)
		draw_strip(v, l, canvas);
	if (l->ruler.h) {
		if (v->iterations && v->iterations->begin)
			draw_iterations(v, l, canvas);
		else
			timeline_draw_ruler(s, trace_scale(v->query->trace), canvas, l->ruler.x,
					    l->ruler.y);
		timeline_markers_draw(v->query->trace, s, l->ruler.x, l->ruler.y, canvas);
	}
	timeline_labels_draw(v, l, canvas);
	if (!v->pixels)
		timeline_bars_draw(v, l->body, canvas);
	draw_counters(v, l->body, canvas);
	timeline_difference_draw(v->picture, trace_scale(v->query->trace), l, canvas);
	draw_density(v, l, canvas);
	timeline_names_draw(v, l->body, canvas);
	draw_selection(v, l, canvas);
	draw_cursor_line(v, l, canvas);
	if (!v->pixels)
		timeline_arrows_draw(v->picture, canvas, l->body, v->focus);
	timeline_ends_draw(v, l->body, canvas);
	timeline_critical_draw(v->picture, l->body, canvas);
	draw_cursor(v, l, canvas);
}
