/* The overview: where the time went, and what to look at next. Enter goes to the view that a line
 * names. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "ui/widgets/matcher.h"
#include "ui/widgets/panel.h"

enum { BAR_LEAST = 8, BAR_MOST = 40 };

struct overview_panel {
	struct panel panel;
	struct overview overview;
	uint64_t generation; /* of the session when it was computed */
	unsigned cursor;     /* line */
	struct matcher *matcher;
	unsigned origin; /* line where the search began */
};

static const enum action actions[] = { ACTION_ENTER,   ACTION_DOWN,  ACTION_UP,   ACTION_PAGE_DOWN,
				       ACTION_PAGE_UP, ACTION_FIRST, ACTION_LAST, ACTION_NONE };

static void requery(struct panel *panel)
{
	struct overview_panel *p = (struct overview_panel *)panel;
	if (p->generation == panel->session->generation)
		return;
	p->generation = panel->session->generation;
	const struct query query = session_query(panel->session);
	struct overview overview;
	overview_make(&overview, &query, false);
	/* What the look before at a job found stays until this one has it, too: lines that come and
	 * go every second cannot be read. */
	if (query_stopped(&query) ||
	    (overview.searching && p->overview.lines.n && trace_live(query.trace))) {
		overview_fini(&overview);
		return;
	}
	overview_fini(&p->overview);
	p->overview = overview;
	if (p->cursor >= p->overview.lines.n)
		p->cursor = 0;
}

/* Computes everything again; the cursor stays on its line. */
static void renew(struct panel *panel)
{
	((struct overview_panel *)panel)->generation = 0;
}

static void close_panel(struct panel *panel)
{
	struct overview_panel *p = (struct overview_panel *)panel;

	matcher_free(p->matcher);
	overview_fini(&p->overview);
}

/* The first line on the screen so that the cursor is visible. */
static unsigned top_line(const struct overview_panel *p, int h)
{
	return h > 0 && p->cursor >= (unsigned)h ? p->cursor - (unsigned)h + 1 : 0;
}

/* Column at which all bars begin, after the longest text of a line with a bar. */
static int bar_column(const struct overview *overview, int w)
{
	int widest = 0;
	for (unsigned i = 0; i < overview->lines.n; i++) {
		const int taken = text_width(overview->lines.data[i].text);
		if (overview->lines.data[i].share >= 0 && taken > widest)
			widest = taken;
	}
	return widest + 3 <= w - BAR_LEAST ? widest + 3 : w - BAR_LEAST;
}

/* A bar in eighths of a column if the terminal has such characters. */
static void draw_bar(struct canvas *canvas, int x, int y, int w, double share, enum role role)
{
	static const uint32_t eighths[] = { ' ',    0x258f, 0x258e, 0x258d,
					    0x258c, 0x258b, 0x258a, 0x2589 };
	if (share > 1)
		share = 1;
	const int parts = (int)(share * w * 8 + 0.5);
	for (int i = 0; i < w && i * 8 < parts; i++) {
		const int full = parts - i * 8;
		uint32_t ch = theme_glyph(GLYPH_FULL, canvas->ascii);
		if (full < 8)
			ch = canvas->ascii ? (full >= 4 ? '#' : ' ') : eighths[full];
		canvas_put(canvas, x + i, y, ch, role, ROLE_DEFAULT, 0);
	}
	if (parts == 0 && share > 0)
		canvas_glyph(canvas, x, y, GLYPH_LINE_V, role);
}

static void draw_line(const struct overview_panel *p, struct canvas *canvas, struct rect row,
		      unsigned nth, int bar_x)
{
	const struct overview_line *line = &p->overview.lines.data[nth];
	const int bar_w = row.w - bar_x - 1 < BAR_MOST ? row.w - bar_x - 1 : BAR_MOST;
	const bool bar = line->share >= 0 && bar_w >= BAR_LEAST;
	const int room = bar ? bar_x - 2 : row.w - 2;
	const bool chosen = nth == p->cursor && line->view;
	/* Text does not take the colour of its bar: dark blue on a dark ground is unreadable. */
	canvas_write(canvas, row.x + 1, row.y, room, line->text,
		     line->share >= 0 ? ROLE_DEFAULT : theme_role(line->role));
	size_t begin, end;
	if (bar)
		draw_bar(canvas, row.x + bar_x, row.y, bar_w, line->share,
			 line->role == TEXT_PLAIN ? ROLE_PROGRESS : theme_role(line->role));
	if (chosen)
		canvas_paint(canvas, (struct rect){ row.x, row.y, room + 2, 1 }, ROLE_CURSOR,
			     ROLE_CURSOR, 0);
	else if (nth == p->cursor)
		canvas_glyph(canvas, row.x, row.y, GLYPH_TREE_CLOSED, ROLE_MUTED);
	if (p->matcher &&
	    matcher_find(p->matcher, line->text, strlen(line->text), 0, &begin, &end)) {
		OWNED char *head = xstrndup(line->text, begin);
		canvas_text_fmt(canvas, row.x + 1 + text_width(head), row.y, room, ROLE_MATCH,
				"%.*s", (int)(end - begin), line->text + begin);
		canvas_paint(canvas,
			     (struct rect){ row.x + 1 + text_width(head), row.y, (int)(end - begin),
					    1 },
			     ROLE_MATCH, ROLE_MATCH, 0);
	}
}

static void draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct overview_panel *p = (const struct overview_panel *)panel;
	const int bar_x = bar_column(&p->overview, area.w);
	const unsigned top = top_line(p, area.h);
	for (int y = 0; y < area.h && top + (unsigned)y < p->overview.lines.n; y++)
		draw_line(p, canvas, (struct rect){ area.x, area.y + y, area.w, 1 },
			  top + (unsigned)y, bar_x);
}

/* The next line that names a view or, without one, the next line. */
static unsigned move(struct overview_panel *p, int by)
{
	const int n = (int)p->overview.lines.n;
	for (; by != 0; by += by < 0 ? 1 : -1) {
		const int step = by < 0 ? -1 : 1;
		int at = (int)p->cursor + step;
		while (at >= 0 && at < n && !p->overview.lines.data[at].view)
			at += step;
		if (at < 0 || at >= n)
			at = step < 0 ? 0 : n - 1;
		p->cursor = (unsigned)at;
	}
	return REACT_REDRAW;
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	struct overview_panel *p = (struct overview_panel *)panel;
	if (p->overview.lines.n == 0)
		return REACT_IGNORED;
	switch (action) {
	case ACTION_DOWN: return move(p, count);
	case ACTION_UP: return move(p, -count);
	case ACTION_PAGE_DOWN:
	case ACTION_LAST: p->cursor = (unsigned)p->overview.lines.n - 1; return REACT_REDRAW;
	case ACTION_PAGE_UP:
	case ACTION_FIRST: p->cursor = 0; return REACT_REDRAW;
	case ACTION_ENTER:
		panel->session->asked.goto_view = p->overview.lines.data[p->cursor].view;
		if (!panel->session->asked.goto_view)
			panel->session->asked.goto_view = "timeline";
		return REACT_REDRAW;
	default: return REACT_IGNORED;
	}
}

static bool search(struct panel *panel, const char *pattern, int direction, struct err *err)
{
	struct overview_panel *p = (struct overview_panel *)panel;
	const unsigned n = (unsigned)p->overview.lines.n;
	if (!p->matcher)
		p->origin = p->cursor;
	if (!matcher_change(&p->matcher, pattern, err))
		return false;
	if (!p->matcher) {
		p->cursor = direction == 0 ? p->origin : p->cursor;
		return true;
	}
	const unsigned from = direction == 0 ? p->origin : p->cursor;
	for (unsigned i = direction != 0; i < n + (direction != 0); i++) {
		const unsigned at = direction < 0 ? (from + n - i % n) % n : (from + i) % n;
		const char *text = p->overview.lines.data[at].text;
		if (!matcher_hits(p->matcher, text, strlen(text)))
			continue;
		p->cursor = at;
		return true;
	}
	return err_set(err, STATUS_NO, "no line matches '%s'", pattern);
}

static void chosen(const struct panel *panel, struct selection *selection)
{
	const struct overview_panel *p = (const struct overview_panel *)panel;
	const struct line_subject *about;

	if (p->cursor >= p->overview.lines.n || !p->overview.lines.data[p->cursor].about.is)
		return;
	about = &p->overview.lines.data[p->cursor].about;
	selection->metric = about->metric;
	selection->region = about->region;
	selection->path = about->callpath;
	selection->location = about->location;
}

static void describe(const struct panel *panel, struct str *out)
{
	const struct overview_panel *p = (const struct overview_panel *)panel;
	if (p->cursor < p->overview.lines.n)
		str_add(out, p->overview.lines.data[p->cursor].text);
}

static unsigned click(struct panel *panel, int x, int y, struct rect area)
{
	struct overview_panel *p = (struct overview_panel *)panel;
	(void)x;
	const unsigned at = top_line(p, area.h) + (unsigned)(y - area.y);
	if (at < p->overview.lines.n)
		p->cursor = at;
	return REACT_REDRAW;
}

const struct panel_ops overview_panel_ops = {
	.actions = actions,
	.enter_hint = "go there",
	.size = sizeof(struct overview_panel),
	.close = close_panel,
	.requery = requery,
	.renew = renew,
	.draw = draw,
	.act = act,
	.search = search,
	.chosen = chosen,
	.describe = describe,
	.click = click,
};
