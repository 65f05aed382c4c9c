/* The page of the graph: where one is and what that cost, what it contains, and what is chosen of
 * it in detail. */
#include <string.h>

#include "base/text.h"
#include "ui/canvas/chart.h"
#include "ui/panels/graph/graph_panel_state.h"
#include "views/facts/graph_text.h"

enum {
	HEAD = 3,
	BELOW_FROM = 12, /* lines below the head */
	LEAST = 7,
	MOST = 18,
	LINES = 3 /* of the details before their table */
};

struct graph_page graph_panel_page(const struct graph_panel *p, struct rect area)
{
	struct graph_page page;
	const int head = area.h > HEAD + 2 ? HEAD : 0, rest = area.h - head;

	page.head = (struct rect){ area.x, area.y, area.w, head };
	page.level = page.detail = (struct rect){ area.x, area.y + head, area.w, rest };
	if (rest >= BELOW_FROM) {
		int h = rest * 2 / 5;
		h = h < LEAST ? LEAST : h > MOST ? MOST : h;
		page.level.h -= h;
		page.detail.y += page.level.h;
		page.detail.h = h;
	} else if (p->in_parts) {
		page.level.h = 0;
	} else {
		page.detail.h = 0;
	}
	page.parts = page.detail;
	if (page.detail.h > LINES + 1) {
		page.parts.y += LINES;
		page.parts.h -= LINES;
	}
	return page;
}

/* ---- the head ---- */

/* One step of the way: "main", "for sweep.c:30". */
static void add_step(const struct graph_panel *p, const struct graph_step *step, struct str *out)
{
	const struct trace *trace = p->panel.session->trace;
	const bool loop = step->node.key.kind == GRAPH_KIND_LOOP;
	OWNED_STR place = STR_INIT;

	graph_words_short(p->graph, step->node.node, out);
	graph_words_place(p->graph, trace, step->node.node, &place);
	if (place.n && (loop || step == vec_last(&p->way)))
		str_add_fmt(out, " %s", place.text);
}

/* The end is what counts: what does not fit goes from the front. */
static void draw_way(const struct graph_panel *p, struct canvas *canvas, struct rect row)
{
	OWNED_STR s = STR_INIT, end = STR_INIT;
	size_t first = 0;

	add_step(p, vec_last(&p->way), &end);
	for (;; first++) {
		str_clear(&s);
		str_add(&s, first ? "... > " : "");
		for (size_t i = first; i + 1 < p->way.n; i++) {
			add_step(p, &p->way.data[i], &s);
			str_add(&s, " > ");
		}
		if (first + 1 >= p->way.n || text_width(s.text) + text_width(end.text) <= row.w - 2)
			break;
	}
	const int x =
		row.x + 1 + canvas_write(canvas, row.x + 1, row.y, row.w - 2, s.text, ROLE_MUTED);
	canvas_write(canvas, x, row.y, row.x + row.w - 1 - x, end.text, ROLE_VALUE);
}

static void draw_head(const struct graph_panel *p, struct canvas *canvas, struct rect head)
{
	const struct session *session = p->panel.session;
	const struct graph_step *step = vec_last(&p->way);
	OWNED_STR s = STR_INIT;
	bool warn;

	draw_way(p, canvas, head);
	graph_words_values(p->graph, session->trace, step->node.node, step->via.node, p->whole, &s);
	canvas_write_parts(canvas, head.x + 1, head.y + 1, head.w - 2, s.text, ROLE_DEFAULT);
	str_clear(&s);
	warn = graph_words_origin(p->graph, session->trace, session->base, p->window, p->filter,
				  &s);
	canvas_write(canvas, head.x + 1, head.y + 2, head.w - 2, s.text,
		     warn ? ROLE_WARNING : ROLE_MUTED);
}

/* ---- details of the selected node ---- */

static void draw_rule(const struct graph_panel *p, struct canvas *canvas, struct rect row,
		      uint32_t node)
{
	OWNED_STR s = STR_INIT;
	int x = row.x + 1;

	canvas_fill(canvas, row, theme_glyph(GLYPH_LINE_H, canvas->ascii), ROLE_FRAME,
		    ROLE_DEFAULT);
	str_add_char(&s, ' ');
	graph_words_short(p->graph, node, &s);
	str_add_char(&s, ' ');
	x += canvas_write(canvas, x, row.y, row.w - 2, s.text, ROLE_VALUE);
	str_clear(&s);
	graph_words_place(p->graph, p->panel.session->trace, node, &s);
	if (s.n) {
		str_add_char(&s, ' ');
		x += canvas_write(canvas, x, row.y, row.x + row.w - x - 1, s.text, ROLE_MUTED);
	}
	const int legend = chart_legend_width(graph_words_parts, GRAPH_WORDS_PARTS);
	const int at = row.x + row.w - legend - 2;
	if (at > x + 2) {
		canvas_put(canvas, at - 1, row.y, ' ', ROLE_DEFAULT, ROLE_DEFAULT, 0);
		canvas_fill(canvas, (struct rect){ at, row.y, legend + 1, 1 }, ' ', ROLE_DEFAULT,
			    ROLE_DEFAULT);
		chart_legend(canvas, at, row.y, legend, graph_words_parts, GRAPH_WORDS_PARTS);
	}
}

/* The histogram has what the sentence leaves. */
static void draw_spread(const struct graph_panel *p, struct canvas *canvas, struct rect row,
			uint32_t node)
{
	enum { LEAST_CELLS = 8 };
	const struct graph_chosen chosen = graph_panel_locations(p);
	struct table_chart chart;
	OWNED_STR s = STR_INIT;
	int room;

	graph_words_spread(p->graph, p->panel.session->trace, node, &s);
	const int x = row.x + 1 +
		      canvas_write(canvas, row.x + 1, row.y, row.w - 2, s.text, ROLE_DEFAULT) + 2;
	room = row.x + row.w - 1 - x;
	if (room >= LEAST_CELLS || room >= (int)chosen.n) {
		graph_words_histogram(p->graph, node, chosen.locations, chosen.n, room, &chart);
		chart_draw(canvas, x, row.y, room, &chart, ROLE_DEFAULT);
	}
}

static void draw_detail(const struct graph_panel *p, struct canvas *canvas,
			const struct graph_page *page)
{
	const uint32_t node = graph_panel_chosen(p);
	struct table_pane parts = p->parts;
	struct rect row = { page->detail.x, page->detail.y, page->detail.w, 1 };
	OWNED_STR s = STR_INIT;

	if (node == GRAPH_NONE)
		return;
	if (page->parts.y > page->detail.y) {
		draw_rule(p, canvas, row, node);
		row.y++;
		graph_words_more(p->graph, p->panel.session->trace, node, &s);
		canvas_write(canvas, row.x + 1, row.y, row.w - 2, s.text, ROLE_DEFAULT);
		row.y++;
		draw_spread(p, canvas, row, node);
	}
	parts.cursor_role = p->in_parts ? ROLE_CURSOR : ROLE_KEEP;
	table_pane_draw(&parts, canvas, page->parts);
}

void graph_panel_draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct graph_panel *p = (const struct graph_panel *)panel;
	const struct graph_page page = graph_panel_page(p, area);
	struct table_pane level = p->level;

	if (!p->graph || !p->way.n) {
		canvas_write(canvas, area.x + 1, area.y + 1, area.w - 2,
			     "cancelled; any change of window or filter computes the graph",
			     ROLE_MUTED);
		return;
	}
	if (page.head.h)
		draw_head(p, canvas, page.head);
	level.cursor_role = p->in_parts ? ROLE_SELECTION : ROLE_CURSOR;
	if (page.level.h > 0)
		table_pane_draw(&level, canvas, page.level);
	if (page.detail.h > 0)
		draw_detail(p, canvas, &page);
}
