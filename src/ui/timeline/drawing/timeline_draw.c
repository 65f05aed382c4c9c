#include "ui/timeline/drawing/timeline_draw.h"

#include <string.h>

#include "base/text.h"
#include "ui/timeline/drawing/timeline_critical.h"
#include "ui/timeline/picture/timeline_names.h"
#include "views/facts/place_words.h"

/* ---- words ---- */

static bool several_nodes(const struct trace *trace)
{
	const uint32_t n = trace_location_count(trace);

	for (uint32_t l = 1; l < n; l++)
		if (trace_location(trace, l)->node != trace_location(trace, 0)->node)
			return true;
	return false;
}

/* ---- layout ---- */

enum { WIDEST_LABEL = 24, EXTENT = 30 };

uint32_t timeline_row_text(const struct timeline_rows *rows, const struct timeline_row *row,
			   bool node, struct str *out)
{
	uint32_t n;

	if (row->under)
		str_add(out, "  ");
	if (row->kind == ROW_COUNTER) {
		str_add(out, row->of_group ? metric_is_rate(trace_metric(rows->trace, row->metric))
						     ? "  sum of "
						     : "  mean of "
					   : "  ");
		timeline_counter_name(rows->trace, row->metric, out);
		return 0;
	}
	if (row->kind == ROW_LOCATION) {
		words_location(rows->trace, row->location, node, out);
		return 0;
	}
	str_add(out, "  "); /* room for the triangle */
	grouping_name(&rows->grouping, rows->trace, row->group, out);
	timeline_row_members(rows, row, &n);
	return n;
}

/* Columns of row labels: the same for all rows, so that scrolling does not move the picture. */
static int label_width(const struct query *query, const struct timeline_rows *rows, int limit)
{
	const bool node = several_nodes(query->trace);
	const uint32_t n = (uint32_t)rows->list.n;
	OWNED_STR text = STR_INIT;
	/* Below a row is how far it moved: "+12.3 us". */
	int widest = query->difference ? 9 : 4;

	for (uint32_t i = 0; i < n && i < 2048 && widest < limit; i++) {
		/* Labels of ranks grow with the number: of many, the last ones tell. */
		const uint32_t at = n > 2048 && i >= 1024 ? n - (i - 1023) : i;
		uint32_t members;
		int width;

		str_clear(&text);
		members = timeline_row_text(rows, &rows->list.data[at], node, &text);
		width = text_width(text.text);
		if (members) {
			str_clear(&text);
			units_count(&text, members);
			width += 3 + text_width(text.text); /* " ~x" */
		}
		if (width > widest)
			widest = width;
	}
	return widest < limit ? widest : limit;
}

struct timeline_layout timeline_layout(const struct query *query, const struct timeline_rows *rows,
				       struct rect area, int details_lines)
{
	const int limit = area.w / 4 < WIDEST_LABEL ? area.w / 4 : WIDEST_LABEL;
	const int labels = label_width(query, rows, limit > 4 ? limit : 4);
	struct timeline_layout l = { .strip = area, .extent = area.w >= 72 ? EXTENT : 0 };
	const int x = area.x + labels + 2;
	const int w = area.w - labels - 3 > 1 ? area.w - labels - 3 : 1;
	int y = area.y, h = area.h;

	if (h < details_lines + 4)
		details_lines = h > 4 ? 1 : 0;
	l.details = (struct rect){ area.x + 1, area.y + area.h - details_lines, area.w - 2,
				   details_lines };
	h -= details_lines;
	l.strip = (struct rect){ x, y, w - l.extent, h >= 6 };
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

static void draw_strip(const struct timeline_view *v, const struct timeline_layout *l,
		       struct canvas *canvas)
{
	const struct trace *trace = v->query->trace;
	const struct timescale *units = trace_scale(trace);
	struct query whole = *v->query;
	const struct span w = timeline_window(v->query);
	struct span run;
	struct time_scale s;
	OWNED_STR text = STR_INIT;
	int64_t x0, x1;

	whole.t0 = INT64_MIN;
	whole.t1 = INT64_MAX;
	run = timeline_window(&whole);
	s = (struct time_scale){ run.t0, run.t1, l->strip.w > 0 ? l->strip.w : 1 };
	x0 = time_scale_column(&s, w.t0);
	x1 = time_scale_column(&s, w.t1 - 1);
	canvas_write(canvas, l->labels.x, l->strip.y, l->labels.w, "MPI", ROLE_MUTED);
	for (int x = 0; x < l->strip.w && x < v->strip->width; x++) {
		const unsigned n = v->strip->eighths[x];
		const bool inside = x >= x0 && x <= x1;
		const uint32_t ch =
			n ? theme_glyph(GLYPH_BAR_1 + (n > 8 ? 8 : n) - 1, canvas->ascii) : ' ';

		canvas_put(canvas, l->strip.x + x, l->strip.y, ch,
			   !inside              ? ROLE_MUTED
			   : v->strip->waits[x] ? ROLE_WAIT
						: ROLE_CLASS_FIRST + CLASS_P2P,
			   ROLE_DEFAULT, 0);
	}
	if (w.t0 > run.t0 || w.t1 < run.t1) {
		canvas_put(canvas, l->strip.x + (int)x0 - 1, l->strip.y,
			   theme_glyph(GLYPH_BRACKET_LEFT, canvas->ascii), ROLE_VALUE, ROLE_DEFAULT,
			   ATTR_BOLD);
		canvas_put(canvas, l->strip.x + (int)x1 + 1, l->strip.y,
			   theme_glyph(GLYPH_BRACKET_RIGHT, canvas->ascii), ROLE_VALUE,
			   ROLE_DEFAULT, ATTR_BOLD);
		units_span(&text, w.t0, w.t1, units, 2);
		str_add(&text, " of ");
	} else {
		str_add(&text, "all of ");
	}
	units_human_time(&text, run.t1 - 1 - run.t0, units, 3);
	canvas_text_right(canvas, l->strip.x + l->strip.w + 1, l->strip.y, l->extent - 1, text.text,
			  ROLE_VALUE, ROLE_DEFAULT);
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

	ruler_make_iterations(&ruler, &v->picture->scale, v->iterations.begin, v->iterations.n);
	put_ruler(&ruler, canvas, l->ruler.x, l->ruler.y);
	canvas_write(canvas, l->labels.x, l->ruler.y, l->labels.w,
		     l->labels.w < 10 ? "iter." : "iteration", ROLE_MUTED);
}

/* ---- bars ---- */

enum {
	NOTCHED_BLOCK = 0x2587,  /* lower seven eighths */
	BLOCK_WITH_GAP = 0x2589, /* left seven eighths */
	EDGE = 0x2595,           /* right eighth */
	DOTTED_LINE = 0x250a,
	CORNER = 0x2596, /* quadrant lower left */
	ASCII_NOTCHED = '%',
	ASCII_CORNER = '+',
	ASCII_CUT = '|',
	ASCII_FILTERED = '-'
};

/* With colours: fills, half blocks and shades. */
static void put_coloured(struct canvas *canvas, int x, int y, const struct timeline_cell *c,
			 unsigned level)
{
	const enum role left = timeline_state_role(c->left, level),
			right = timeline_state_role(c->right, level);

	if (timeline_is_hatched(c))
		canvas_put(canvas, x, y, TIMELINE_HATCH, ROLE_DEFAULT,
			   timeline_state_role(CLASS_USER, level), 0);
	else if (left != right && left == ROLE_DEFAULT)
		canvas_glyph(canvas, x, y, GLYPH_HALF_RIGHT, right);
	else if (left != right)
		canvas_put(canvas, x, y, theme_glyph(GLYPH_HALF_LEFT, canvas->ascii), left, right,
			   0);
	else if (c->left == STATE_FILTERED)
		canvas_glyph(canvas, x, y, GLYPH_DOT, ROLE_MUTED);
	else if (c->second != STATE_NONE && timeline_state_role(c->second, level) != ROLE_DEFAULT)
		canvas_put(canvas, x, y,
			   theme_glyph(c->eighths >= 3 ? GLYPH_MEDIUM_SHADE : GLYPH_LIGHT_SHADE,
				       canvas->ascii),
			   timeline_state_role(c->second, level), left, 0);
	else if (c->cut && left != ROLE_DEFAULT)
		/* In the ink of names, so that a row of cuts and names is one pair of colours. */
		canvas_put(canvas, x, y, canvas->ascii ? ASCII_CUT : EDGE, ROLE_DEFAULT, left, 0);
	else
		canvas_put(canvas, x, y, ' ', ROLE_DEFAULT, left, 0);
}

static uint32_t mono_glyph(const struct timeline_cell *c, bool ascii)
{
	const bool user = c->whole == CLASS_USER;

	if (timeline_is_hatched(c))
		return TIMELINE_HATCH;
	if (c->whole == STATE_FILTERED)
		return ascii ? ASCII_FILTERED : theme_glyph(GLYPH_DOT, false);
	if (c->left != c->right && !ascii && c->left == CLASS_USER)
		return theme_glyph(GLYPH_HALF_LEFT, false);
	if (c->left != c->right && !ascii && c->right == CLASS_USER)
		return theme_glyph(GLYPH_HALF_RIGHT, false);
	if (c->second != STATE_NONE && c->whole != CLASS_OUTSIDE && ascii)
		return user ? ASCII_NOTCHED : ASCII_CORNER;
	if (c->second != STATE_NONE && c->whole != CLASS_OUTSIDE)
		return user ? NOTCHED_BLOCK : CORNER;
	if (c->cut && (user || ascii))
		return ascii ? ASCII_CUT : BLOCK_WITH_GAP;
	return timeline_state_glyph(c->whole, ascii);
}

void timeline_put_cell(struct canvas *canvas, int x, int y, const struct timeline_cell *c,
		       unsigned level)
{
	if (canvas->mono)
		canvas_put(canvas, x, y, mono_glyph(c, canvas->ascii),
			   timeline_state_role(c->whole, level), ROLE_DEFAULT, 0);
	else
		put_coloured(canvas, x, y, c, level);
}

static void draw_lane(const struct timeline_view *v, size_t lane, struct rect body,
		      struct canvas *canvas)
{
	const struct timeline_picture *p = v->picture;
	const struct timeline_lane *l = &p->lanes.data[lane];
	const struct timeline_cell *cells = p->cells + lane * (size_t)p->options.width;
	const int lines = l->y + l->lines <= body.h ? l->lines : body.h - l->y;

	if (l->mix != NO_MIX && l->sums == SUMS_NONE) {
		canvas_fill(canvas, (struct rect){ body.x, body.y + l->y, body.w, lines },
			    theme_glyph(GLYPH_DOT, canvas->ascii), ROLE_FRAME, ROLE_DEFAULT);
		return;
	}
	if (l->mix != NO_MIX) {
		timeline_stack_draw(p->mixes.data + (size_t)l->mix * (size_t)p->options.width,
				    p->options.width,
				    (struct rect){ body.x, body.y + l->y, body.w, lines }, canvas);
		return;
	}
	for (int line = 0; line < lines; line++)
		for (int x = 0; x < p->options.width; x++)
			timeline_put_cell(canvas, body.x + x, body.y + l->y + line, &cells[x],
					  l->level);
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

static void draw_names(const struct timeline_view *v, struct rect body, struct canvas *canvas)
{
	const struct timeline_picture *p = v->picture;

	for (size_t i = 0; i < p->labels.n; i++) {
		const struct timeline_label *label = &p->labels.data[i];
		const struct timeline_lane *lane = &p->lanes.data[label->lane];
		const struct region *region = trace_region(v->query->trace, label->region);
		char name[256];

		timeline_name(v->query->trace, label->region, name, sizeof name);
		canvas_text(canvas, body.x + label->x, body.y + lane->y + (lane->lines - 1) / 2,
			    label->width, name + label->skip, ROLE_DEFAULT,
			    canvas->mono ? ROLE_DEFAULT
					 : timeline_state_role(region->cls, lane->level),
			    0);
		for (int x = label->x; !canvas->mono && x < label->x + label->width; x++) {
			const uint8_t state =
				p->cells[(size_t)label->lane * (size_t)p->options.width + (size_t)x]
					.whole;
			if (state >= STATE_WAIT && state < STATE_COUNT)
				canvas_paint(canvas,
					     (struct rect){ body.x + x,
							    body.y + lane->y +
								    (lane->lines - 1) / 2,
							    1, 1 },
					     ROLE_KEEP, timeline_state_role(state, 0), 0);
		}
	}
}

/* The scale of a counter is below its name, or after it where it fits. */
static int draw_scale(const struct timeline_view *v, const struct timeline_layout *l, uint32_t nth,
		      int y, int name, enum role bg, struct canvas *canvas)
{
	const struct timeline_picture *p = v->picture;
	const struct timeline_counter *c = timeline_counter_of(p, nth);
	const int room = p->bar > 1 ? l->labels.w : l->labels.w - name - 1;
	OWNED_STR text = STR_INIT;
	int width = 0;

	if (!c)
		return 0;
	timeline_counter_scale_text(c, v->query->trace, &text);
	if (text_width(text.text) <= room)
		width = text_width(text.text) + 1;
	if (width)
		canvas_text_right(canvas, l->labels.x, y + (p->bar > 1), l->labels.w, text.text,
				  bg == ROLE_CURSOR && p->bar == 1 ? ROLE_CURSOR : ROLE_MUTED,
				  p->bar > 1 ? ROLE_DEFAULT : bg);
	return p->bar > 1 ? 0 : width;
}

static void draw_row_label(const struct timeline_view *v, const struct timeline_layout *l,
			   uint32_t nth, bool node, struct canvas *canvas)
{
	const struct timeline_picture *p = v->picture;
	const struct timeline_row *row = timeline_shown(p, nth);
	const bool here = v->cursor && (int32_t)nth == v->focus->row;
	const bool pinned = p->shown.data[nth] < p->rows->pinned;
	const enum role bg = here ? ROLE_CURSOR : ROLE_DEFAULT;
	const int y =
		l->labels.y + timeline_row_y(p, nth) + (p->options.depth ? 0 : (p->bar - 1) / 2);
	OWNED_STR text = STR_INIT;
	uint32_t members;
	int taken = 0;

	if (y >= l->labels.y + l->labels.h)
		return;
	if (here)
		canvas_fill(canvas, (struct rect){ l->labels.x - 1, y, l->labels.w + 2, 1 }, ' ',
			    ROLE_CURSOR, ROLE_CURSOR);
	members = timeline_row_text(p->rows, row, node, &text);
	if (members) {
		OWNED_STR count = STR_INIT;

		/* Not the exact sums yet: see timeline_sums.h. */
		if (timeline_sums_of(p, nth) != SUMS_EXACT)
			str_add_char(&count, '~');
		str_add(&count, canvas->ascii ? "x" : "\u00d7");
		units_count(&count, members);
		taken = text_width(count.text) + 1;
		canvas_text_right(canvas, l->labels.x, y, l->labels.w, count.text,
				  here ? ROLE_CURSOR : ROLE_MUTED, bg);
	}
	if (row->kind == ROW_COUNTER)
		taken = draw_scale(v, l, nth, y, text_width(text.text), bg, canvas);
	canvas_text(canvas, l->labels.x, y, l->labels.w - taken, text.text,
		    here     ? ROLE_CURSOR
		    : pinned ? ROLE_VALUE
			     : ROLE_LABEL,
		    bg, 0);
	if (row->kind == ROW_GROUP)
		canvas_put(canvas, l->labels.x, y,
			   theme_glyph(row->open ? GLYPH_TREE_OPEN : GLYPH_TREE_CLOSED,
				       canvas->ascii),
			   here ? ROLE_CURSOR : ROLE_MUTED, bg, 0);
}

static void draw_row_labels(const struct timeline_view *v, const struct timeline_layout *l,
			    struct canvas *canvas)
{
	const bool node = several_nodes(v->query->trace);

	for (uint32_t i = 0; i < v->picture->visible; i++)
		draw_row_label(v, l, i, node, canvas);
}

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
	for (int y = 0; y < v->picture->bar; y++)
		canvas_put(canvas, l->body.x + (int)x,
			   l->body.y + timeline_row_y(v->picture, (uint32_t)row) + y,
			   theme_glyph(GLYPH_LINE_V, canvas->ascii), ROLE_VALUE, ROLE_DEFAULT,
			   ATTR_REVERSE);
}

void timeline_draw(const struct timeline_view *v, const struct timeline_layout *l,
		   struct canvas *canvas)
{
	const struct time_scale *s = &v->picture->scale;

	if (l->strip.h && v->strip)
		draw_strip(v, l, canvas);
	if (l->ruler.h) {
		if (v->iterations.begin)
			draw_iterations(v, l, canvas);
		else
			timeline_draw_ruler(s, trace_scale(v->query->trace), canvas, l->ruler.x,
					    l->ruler.y);
		timeline_markers_draw(v->query->trace, s, l->ruler.x, l->ruler.y, canvas);
	}
	draw_row_labels(v, l, canvas);
	for (size_t i = 0; i < v->picture->lanes.n; i++)
		draw_lane(v, i, l->body, canvas);
	draw_counters(v, l->body, canvas);
	timeline_difference_draw(v->picture, trace_scale(v->query->trace), l, canvas);
	draw_density(v, l, canvas);
	draw_names(v, l->body, canvas);
	draw_selection(v, l, canvas);
	draw_cursor_line(v, l, canvas);
	timeline_arrows_draw(v->picture, canvas, l->body, v->focus);
	timeline_critical_draw(v->picture, l->body, canvas);
	draw_cursor(v, l, canvas);
}
