/* The view of sources, drawn: title, columns, lines with their marks, details below. */
#include <string.h>

#include "base/text.h"
#include "ui/panels/source/source_panel_state.h"
#include "ui/widgets/tree_pane.h"
#include "views/facts/graph_text.h"

enum {
	NUMBER_W = 10,
	BOX_W = 2,
	BARS = 4, /* loops in each other that have a bar */
	HEADS = 2,
	DETAILS = 7,
	DETAILS_FROM = 14, /* rows that leave room for them */
	TIME_FROM = 48,
	OWN_FROM = 100,
	COUNT_FROM = 112,
	WAIT_FROM = 132
};

/* Where things stand in a row; 0: not there. */
struct columns {
	int time, box, own, count, wait; /* where they begin; of numbers NUMBER_W wide */
	int line, line_w, bars, mark, text;
};

static int digits(uint32_t n)
{
	int d = 1;

	for (; n >= 10; n /= 10)
		d++;
	return d;
}

static int deepest(const struct source_panel *p)
{
	uint32_t most = 0;

	for (size_t i = 0; i < p->costs.loops.n; i++)
		if (p->costs.loops.data[i].depth + 1 > most)
			most = p->costs.loops.data[i].depth + 1;
	return most < BARS ? (int)most : BARS;
}

static struct columns columns_of(const struct source_panel *p, int w)
{
	const uint32_t rows = source_panel_rows(p);
	struct columns c = { 0 };
	int x = 0;

	if (p->costs.marks.n) {
		if (w >= COUNT_FROM)
			c.count = x + 1, x += NUMBER_W;
		if (w >= TIME_FROM)
			c.time = x + 1, x += NUMBER_W;
		if (w >= WAIT_FROM)
			c.wait = x + 1, x += NUMBER_W;
		if (w >= OWN_FROM)
			c.own = x + 1, x += NUMBER_W;
		c.box = x + 1 + (x > 0);
		x = c.box + BOX_W;
	}
	c.line = x + 1;
	c.line_w = digits(rows ? source_panel_line(p, rows - 1) : 1);
	c.bars = c.line + c.line_w + 1;
	c.mark = c.bars + (p->costs.loops.n ? deepest(p) : 0);
	c.text = c.mark + 2;
	return c;
}

/* A sentence over as many rows as it needs; how many. With canvas NULL it is only measured. */
static int draw_sentence(struct canvas *canvas, struct rect r, const char *text, enum role role)
{
	int y = 0;

	while (*text && y < r.h) {
		const size_t n = canvas_row_of(text, r.w > 3 ? r.w - 2 : 1);
		if (canvas)
			canvas_text_fmt(canvas, r.x + 1, r.y + y, r.w - 2, role, "%.*s", (int)n,
					text);
		y++;
		text += n;
		text += strspn(text, " ");
	}
	return y;
}

static int details_height(struct rect area)
{
	const int h = area.h / 4;

	return area.h < DETAILS_FROM ? 0 : 1 + (h < DETAILS ? h : DETAILS);
}

/* Rows above the lines: title, why there is no text, column heads. */
static int heads_height(const struct source_panel *p, struct rect area)
{
	const struct rect r = { 0, 0, area.w, area.h / 2 };

	return HEADS + (p->trouble[0] ? draw_sentence(NULL, r, p->trouble, ROLE_DEFAULT) + 1 : 0);
}

int source_panel_body(const struct source_panel *p, struct rect area)
{
	const int h = area.h - heads_height(p, area) - details_height(area);

	return h > 1 ? h : 1;
}

uint32_t source_panel_row_at(const struct source_panel *p, int y, struct rect area)
{
	const int at = y - area.y - heads_height(p, area);
	const uint32_t row = p->top + (uint32_t)(at > 0 ? at : 0);

	return at >= 0 && at < source_panel_body(p, area) && row < source_panel_rows(p)
		       ? row
		       : UINT32_MAX;
}

/* ---- the head ---- */

static void draw_title(const struct source_panel *p, struct canvas *canvas, struct rect r)
{
	const char *file = p->found.path ? p->found.path
					 : trace_string(p->panel.session->trace, p->place.file);
	OWNED_STR name = STR_INIT;
	const char *right = p->text.bytes && p->found.newer
				    ? "changed since the run: lines may have moved"
				    : "";
	int room;

	str_add_clean_text(&name, file);
	if (*right && text_width(name.text) + text_width(right) + 4 > r.w)
		right = r.w < 2 * NUMBER_W + text_width(right) ? "changed"
							       : "changed since the run";
	room = r.w - 2 - (*right ? text_width(right) + 2 : 0);
	/* The end of a path says more than its beginning. */
	const char *shown = name.text;
	while (text_width(shown) > room && strchr(shown + 1, '/'))
		shown = strchr(shown + 1, '/');
	if (shown != name.text) {
		canvas_glyph(canvas, r.x + 1, r.y, GLYPH_ELLIPSIS, ROLE_MUTED);
		canvas_text(canvas, r.x + 2, r.y, room - 1, shown, ROLE_VALUE, ROLE_DEFAULT,
			    ATTR_BOLD);
	} else {
		canvas_text(canvas, r.x + 1, r.y, room, shown, ROLE_VALUE, ROLE_DEFAULT, ATTR_BOLD);
	}
	canvas_text_right(canvas, r.x, r.y, r.w - 1, right, ROLE_WARNING, ROLE_DEFAULT);
}

static void head(struct canvas *canvas, struct rect r, int at, const char *title)
{
	if (at)
		canvas_text_right(canvas, r.x + at, r.y, NUMBER_W - 1, title, ROLE_HEADER,
				  ROLE_DEFAULT);
}

/* Over the text: where the numbers are from. */
static void draw_origin(const struct source_panel *p, struct canvas *canvas, struct rect r)
{
	const struct graph *graph = p->graph;
	const struct session *session = p->panel.session;
	const bool window =
		session->window.t0 != session->run.t0 || session->window.t1 != session->run.t1;
	OWNED_STR s = STR_INIT;
	bool warn;

	if (graph && p->costs.marks.n) {
		warn = graph_words_origin(graph, session->trace, session->base, window,
					  session->filter != NULL, &s);
		canvas_write(canvas, r.x, r.y, r.w, s.text, warn ? ROLE_WARNING : ROLE_MUTED);
	}
}

static void draw_header(const struct source_panel *p, struct canvas *canvas, struct rect r,
			const struct columns *c)
{
	head(canvas, r, c->count, "count");
	head(canvas, r, c->time, "time");
	head(canvas, r, c->wait, "waiting");
	head(canvas, r, c->own, "own time");
	if (r.w > c->box)
		draw_origin(p, canvas, (struct rect){ r.x + c->box, r.y, r.w - c->box, 1 });
}

/* ---- a line ---- */

static void draw_time(const struct source_panel *p, struct canvas *canvas, int x, int y,
		      int64_t ticks, enum role ink)
{
	OWNED_STR s = STR_INIT;

	units_human_time(&s, ticks, trace_scale(p->panel.session->trace), 3);
	canvas_text_right(canvas, x, y, NUMBER_W - 1, s.text, ink, ROLE_KEEP);
}

static void draw_count(struct canvas *canvas, int x, int y, uint64_t count, enum role ink)
{
	OWNED_STR s = STR_INIT;

	units_count(&s, count);
	/* Ten digits are unreadable. */
	if (s.n >= NUMBER_W) {
		str_clear(&s);
		str_add_fmt(&s, "%.2e", (double)count);
	}
	canvas_text_right(canvas, x, y, NUMBER_W - 1, s.text, ink, ROLE_KEEP);
}

static void draw_costs(const struct source_panel *p, struct canvas *canvas, struct rect r,
		       const struct columns *c, const struct source_mark *mark, enum role ground)
{
	const enum role ink = ground == ROLE_CURSOR ? ROLE_CURSOR : ROLE_DEFAULT;
	/* What is next to nothing has no colour: the eye shall go elsewhere. */
	const bool any = (double)mark->own * 1000 >= (double)p->costs.most;
	const int heat = any ? tree_pane_heat((double)mark->own, (double)p->costs.most, false) : -1;

	if (c->count)
		draw_count(canvas, r.x + c->count, r.y, mark->count, ink);
	if (c->time && mark->time > 0)
		draw_time(p, canvas, r.x + c->time, r.y, mark->time, ink);
	if (c->wait && mark->sync > 0)
		draw_time(p, canvas, r.x + c->wait, r.y, mark->sync, ink);
	if (c->own && mark->own > 0)
		draw_time(p, canvas, r.x + c->own, r.y, mark->own, ink);
	for (int i = 0; c->box && heat >= 0 && i < BOX_W; i++) {
		const enum role role = (enum role)(ROLE_HEAT_FIRST + heat);
		/* On the cursor's ground a colour may be the same. */
		if (canvas->mono || ground == ROLE_CURSOR)
			canvas_put(canvas, r.x + c->box + i, r.y,
				   theme_glyph((enum glyph)(GLYPH_BAR_1 + heat), canvas->ascii),
				   ink, ROLE_KEEP, 0);
		else
			canvas_put(canvas, r.x + c->box + i, r.y, ' ', role, role, 0);
	}
}

static void draw_mark(struct canvas *canvas, int x, int y, const struct source_mark *mark,
		      enum role ground)
{
	const bool plain = ground == ROLE_CURSOR;
	enum glyph glyph;
	enum role role;

	if (mark->kinds & 1u << GRAPH_KIND_COMMUNICATION) {
		glyph = GLYPH_EXCHANGE;
		role = ROLE_MESSAGE;
	} else if (mark->alone) {
		glyph = GLYPH_ALONE;
		role = ROLE_WARNING;
	} else if (mark->kinds & 1u << GRAPH_KIND_CALL) {
		glyph = GLYPH_ARROW_RIGHT;
		role = ROLE_LABEL;
	} else if (mark->kinds & 1u << GRAPH_KIND_LOOP && !mark->bar) {
		glyph = GLYPH_LOOP;
		role = ROLE_FRAME;
	} else {
		return;
	}
	canvas_put(canvas, x, y, theme_glyph(glyph, canvas->ascii), plain ? ROLE_CURSOR : role,
		   ROLE_KEEP, 0);
}

/* Clean text from column `shift` on; columns of wide characters that are cut in half stay blank. */
static const char *shifted(const char *text, int shift)
{
	return text + (shift > 0 ? text_fit(text, shift) : 0);
}

static void draw_line(const struct source_panel *p, struct canvas *canvas, struct rect r,
		      const struct columns *c, uint32_t row, struct str *text)
{
	const uint32_t line = source_panel_line(p, row);
	const struct source_mark *mark = source_costs_at(&p->costs, line);
	const enum role ground = row == p->row ? ROLE_CURSOR : ROLE_DEFAULT;
	const bool here = ground == ROLE_CURSOR;
	const struct rect at = { r.x + c->text, r.y, r.w - c->text, 1 };

	canvas_fill(canvas, r, ' ', ground, ground);
	if (mark)
		draw_costs(p, canvas, r, c, mark, ground);
	str_clear(text);
	str_add_fmt(text, "%u", line);
	canvas_text_right(canvas, r.x + c->line, r.y, c->line_w, text->text,
			  here ? ROLE_CURSOR : ROLE_MUTED, ROLE_KEEP);
	if (mark)
		draw_mark(canvas, r.x + c->mark, r.y, mark, ground);
	source_panel_text(p, row, text);
	canvas_text(canvas, at.x, at.y, at.w, shifted(text->text, p->shift),
		    here ? ROLE_CURSOR : ROLE_DEFAULT, ROLE_KEEP,
		    mark && mark->hot ? ATTR_BOLD : 0);
	matcher_paint(p->matcher, canvas, at, at.x - p->shift, text, 0);
}

/* ---- bars of loops ---- */

static void draw_bar(const struct source_panel *p, struct canvas *canvas, struct rect r, int x,
		     const struct source_loop *loop)
{
	for (int y = 0; y < r.h; y++) {
		const uint32_t row = p->top + (uint32_t)y;
		const uint32_t line = source_panel_line(p, row);
		const enum glyph glyph = line == loop->line       ? GLYPH_CORNER_TOP
					 : line == loop->end_line ? GLYPH_CORNER_BOTTOM
								  : GLYPH_LINE_V;
		if (line >= loop->line && line <= loop->end_line)
			canvas_put(canvas, x, r.y + y, theme_glyph(glyph, canvas->ascii),
				   row == p->row ? ROLE_CURSOR : ROLE_FRAME, ROLE_KEEP, 0);
	}
}

static void draw_bars(const struct source_panel *p, struct canvas *canvas, struct rect r,
		      const struct columns *c)
{
	const uint32_t first = source_panel_line(p, p->top);
	const uint32_t rows = source_panel_rows(p);
	const uint32_t behind = p->top + (uint32_t)r.h;
	const uint32_t last = source_panel_line(p, (behind < rows ? behind : rows) - 1);

	for (size_t i = 0; i < p->costs.loops.n; i++) {
		const struct source_loop *loop = &p->costs.loops.data[i];
		if (loop->line > last)
			break;
		if (loop->end_line >= first && loop->depth < BARS)
			draw_bar(p, canvas, r, r.x + c->bars + (int)loop->depth, loop);
	}
}

/* ---- the whole ---- */

/* Long ones go on in the next row; where not all of them have room, the last one says so. */
static void draw_details(const struct source_panel *p, struct canvas *canvas, struct rect r)
{
	int y = 1;

	canvas_rule(canvas, r.x, r.y, r.w);
	for (size_t i = 0; i < p->details.n && y < r.h; i++) {
		const struct source_detail *detail = &p->details.data[i];
		const int indent = (int)strspn(detail->text, " ");
		const struct rect rest = { r.x + indent, r.y + y, r.w - indent, r.h - y };
		y += draw_sentence(canvas, rest, detail->text + indent, (enum role)detail->role);
	}
}

static void draw_rows(const struct source_panel *p, struct canvas *canvas, struct rect r,
		      const struct columns *c)
{
	const uint32_t rows = source_panel_rows(p);
	OWNED_STR text = STR_INIT;

	for (int y = 0; y < r.h && p->top + (uint32_t)y < rows; y++)
		draw_line(p, canvas, (struct rect){ r.x, r.y + y, r.w, 1 }, c, p->top + (uint32_t)y,
			  &text);
	if (rows)
		draw_bars(p, canvas, r, c);
}

void source_panel_draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct source_panel *p = (const struct source_panel *)panel;
	const struct columns c = columns_of(p, area.w);
	const int below = details_height(area), heads = heads_height(p, area);
	const struct rect body = { area.x, area.y + heads, area.w, source_panel_body(p, area) };
	const struct rect why = { area.x, area.y + 1, area.w, heads - HEADS };

	draw_title(p, canvas, area);
	draw_sentence(canvas, why, p->trouble, ROLE_WARNING);
	if (source_panel_rows(p))
		draw_header(p, canvas, (struct rect){ area.x, body.y - 1, area.w, 1 }, &c);
	draw_rows(p, canvas, body, &c);
	if (below)
		draw_details(p, canvas, (struct rect){ area.x, body.y + body.h, area.w, below });
}
