/* The explanation over the lower part of a view: its lines, and what they lead to. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "ui/panels/explain/explain_panel_state.h"
#include "ui/timeline/panel/wait_follow.h"

enum { VALUE_WIDTH = 20, INDENT = 2 };

static const enum action actions[] = { ACTION_SEARCH_NEXT, ACTION_SEARCH_PREV, ACTION_ENTER,
				       ACTION_EXPLAIN,     ACTION_BACK,        ACTION_DOWN,
				       ACTION_UP,          ACTION_PAGE_DOWN,   ACTION_PAGE_UP,
				       ACTION_FIRST,       ACTION_LAST,        ACTION_CANCEL,
				       ACTION_NONE };

static struct explain_panel *self(struct panel *panel)
{
	return (struct explain_panel *)panel;
}

static void begin(struct explain_panel *p, const struct explain_subject *subject)
{
	const struct query query = session_query(p->panel.session);
	const struct explain_subject about = *subject; /* `subject` may point into p->e */

	explain_play_end(p);
	explain_fini(&p->e);
	explain_begin(&p->e, &query, &about);
	p->panel.session->asked.explain = p->e.subject; /* subject of exports */
	p->base = query.base;
	p->generation = p->panel.session->generation;
	p->said = false;
	if (p->line >= p->e.lines.n)
		p->line = p->top = 0;
}

static void open_panel(struct panel *panel)
{
	str_init(&self(panel)->named);
	begin(self(panel), &panel->session->asked.explain);
}

static void close_panel(struct panel *panel)
{
	struct explain_panel *p = self(panel);

	explain_play_end(p);
	str_fini(&p->named);
	explain_fini(&p->e);
	vec_fini(&p->places);
	vec_fini(&p->befores);
}

/* A wait has another index in another base: find it by its visit. */
static void follow_session(struct explain_panel *p)
{
	const struct session *s = p->panel.session;
	struct explain_subject subject = p->e.subject;

	if (p->generation == s->generation)
		return;
	p->generation = s->generation;
	if (p->base != s->base) {
		subject.wait = UINT32_MAX;
		p->befores.n = 0;
	} else if (!p->e.waiting) {
		return;
	}
	begin(p, &subject);
}

static bool work(struct panel *panel, unsigned *reactions)
{
	struct explain_panel *p = self(panel);
	const size_t before = p->e.lines.n;
	struct query query;

	follow_session(p);
	if (p->said)
		return false;
	query = session_query(panel->session);
	p->said = !explain_work(&p->e, &query, SLICE_NS);
	if (p->e.lines.n != before || p->said)
		*reactions |= REACT_REDRAW;
	return !p->said;
}

/* ---- drawing ---- */

static int height(const struct panel *panel, struct rect body)
{
	const struct explain_panel *p = (const struct explain_panel *)panel;
	const int half = body.h / 2, most = 18;
	const int play = p->playing ? explain_play_height(p, body.w) : 0;

	if (p->playing && body.h >= 8)
		return play < half ? play : half;
	return body.h < 8 ? body.h : half < most ? half : most;
}

/* Draws a line at the top of r, cut at its end; returns the number of rows. Canvas NULL: only
 * measures. */
static int draw_line(const struct explain_line *line, struct canvas *canvas, struct rect r,
		     bool here)
{
	const int indent = 3 + INDENT * (line->depth < 12 ? line->depth : 12);
	const int width =
		r.w - indent - VALUE_WIDTH > 16 ? r.w - indent - VALUE_WIDTH : r.w - indent;
	const enum role bg = here ? ROLE_CURSOR : ROLE_DEFAULT;
	const enum role fg = here ? ROLE_CURSOR : theme_ink(line->role);
	const char *text = line->text;
	int rows = 0;

	do {
		const size_t n = canvas_row_of(text, width > 1 ? width : 1);

		if (canvas && rows < r.h) {
			char part[2048];

			snprintf(part, sizeof part, "%.*s", (int)(n < 2047 ? n : 2047), text);
			canvas_fill(canvas, (struct rect){ r.x, r.y + rows, r.w, 1 }, ' ', fg, bg);
			canvas_text(canvas, r.x + indent, r.y + rows, width, part, fg, bg, 0);
			if (rows == 0 && line->location != UINT32_MAX)
				canvas_put(canvas, r.x + 1, r.y,
					   theme_glyph(GLYPH_ARROW_RIGHT, canvas->ascii),
					   here ? ROLE_CURSOR : ROLE_MUTED, bg, 0);
			if (rows == 0)
				canvas_text_right(canvas, r.x, r.y, r.w - 1, line->value,
						  here ? ROLE_CURSOR : ROLE_MUTED, bg);
		}
		rows++;
		text += n;
		text += strspn(text, " ");
	} while (*text);
	return rows;
}

static void draw_frame(const struct explain_panel *p, struct canvas *canvas, struct rect r)
{
	canvas_rule(canvas, r.x, r.y, r.w);
	canvas_write(canvas, r.x + 2, r.y, r.w - 4,
		     p->said ? " Explained " : " Explained (still counting) ", ROLE_HEADER);
	canvas_fill(canvas, (struct rect){ r.x, r.y + 1, r.w, r.h - 1 }, ' ', ROLE_DEFAULT,
		    ROLE_DEFAULT);
}

/* The first line to draw so that the cursor's line is visible. */
static size_t top_for(const struct explain_panel *p, struct rect r)
{
	size_t top = p->top <= p->line ? p->top : p->line;
	int rows = 0;

	for (size_t i = top; i <= p->line && i < p->e.lines.n; i++)
		rows += draw_line(&p->e.lines.data[i], NULL, r, false);
	for (; rows > r.h && top < p->line; top++)
		rows -= draw_line(&p->e.lines.data[top], NULL, r, false);
	return top;
}

static void draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct explain_panel *p = (const struct explain_panel *)panel;
	const struct rect r = { area.x, area.y + 1, area.w, area.h - 1 };
	int y = 0;

	if (p->playing) {
		explain_play_draw(p, canvas, area);
		return;
	}
	draw_frame(p, canvas, area);
	for (size_t i = top_for(p, r); i < p->e.lines.n && y < r.h; i++)
		y += draw_line(&p->e.lines.data[i], canvas,
			       (struct rect){ r.x, r.y + y, r.w, r.h - y }, i == p->line);
}

/* ---- actions ---- */

static unsigned move(struct explain_panel *p, int64_t by)
{
	const int64_t last = (int64_t)p->e.lines.n - 1;
	const int64_t at = (int64_t)p->line + by;
	const struct rect a = p->panel.area;

	p->line = (size_t)(at < 0 || last < 0 ? 0 : at > last ? last : at);
	p->top = top_for(p, (struct rect){ a.x, a.y + 1, a.w, a.h > 1 ? a.h - 1 : 1 });
	return REACT_REDRAW;
}

static const struct explain_line *line_here(const struct explain_panel *p)
{
	return p->line < p->e.lines.n ? &p->e.lines.data[p->line] : NULL;
}

void explain_panel_go(struct explain_panel *p, const struct explain_line *line)
{
	struct session *s = p->panel.session;

	/* The end of a chain may be at no place. */
	if (line->location >= trace_location_count(s->trace)) {
		session_notice(s, false, "no event belongs to this line");
		return;
	}
	if (line->wait != UINT32_MAX && s->base == p->base)
		wait_go(s, line->location, line->wait);
	else
		session_set_cursor(s, line->location, line->time, line->event);
	s->asked.goto_view = "timeline";
}

static unsigned go(struct explain_panel *p)
{
	struct session *s = p->panel.session;
	const struct explain_line *line = line_here(p);

	if (!line || line->location == UINT32_MAX) {
		session_notice(s, false, "no event belongs to this line");
		return REACT_REDRAW;
	}
	vec_push(&p->places, ((struct explain_place){ s->cursor.location, s->cursor.event,
						      s->cursor.time, s->window }));
	explain_panel_go(p, line);
	return REACT_REDRAW;
}

static unsigned back(struct explain_panel *p)
{
	struct session *s = p->panel.session;

	if (p->places.n > 0) {
		const struct explain_place place = vec_pop(&p->places);

		session_zoom(s, place.window.t0, place.window.t1);
		session_set_cursor(s, place.location, place.time, place.event);
	} else if (p->befores.n > 0) {
		const struct explain_before before = vec_pop(&p->befores);

		p->line = before.line;
		begin(p, &before.subject);
	} else {
		return REACT_POP;
	}
	return REACT_REDRAW;
}

/* Explains the subject of the line. */
static unsigned deeper(struct explain_panel *p)
{
	struct session *s = p->panel.session;
	const struct query query = session_query(s);
	const struct explain_line *line = line_here(p);
	struct explain_subject subject = { .wait = UINT32_MAX };

	if (!line || line->location == UINT32_MAX || s->base != p->base) {
		session_notice(s, false, "nothing to explain on this line");
		return REACT_REDRAW;
	}
	if (line->wait != UINT32_MAX)
		subject = (struct explain_subject){ line->location, line->wait, EVENT_NONE,
						    UINT32_MAX };
	else if (line->event != EVENT_NONE)
		explain_event(&subject, &query, line->event);
	else
		explain_time(&subject, &query, line->location, line->time);
	vec_push(&p->befores, ((struct explain_before){ p->e.subject, p->line }));
	p->line = p->top = 0;
	begin(p, &subject);
	return REACT_REDRAW;
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	struct explain_panel *p = self(panel);
	const int page = panel->area.h > 2 ? panel->area.h - 2 : 1;

	switch (action) {
	case ACTION_SEARCH_NEXT: return explain_play(p, count);
	case ACTION_SEARCH_PREV: return explain_play(p, -count);
	case ACTION_BACK:
		if (p->playing)
			return explain_play(p, -1);
		break;
	case ACTION_CANCEL: return REACT_IGNORED;
	default: explain_play_end(p); break;
	}
	switch (action) {
	case ACTION_DOWN: return move(p, count);
	case ACTION_UP: return move(p, -count);
	case ACTION_PAGE_DOWN: return move(p, page);
	case ACTION_PAGE_UP: return move(p, -page);
	case ACTION_FIRST: return move(p, INT32_MIN);
	case ACTION_LAST: return move(p, INT32_MAX);
	case ACTION_ENTER: return go(p);
	case ACTION_BACK: return back(p);
	case ACTION_EXPLAIN: return deeper(p);
	default: return REACT_IGNORED;
	}
}

static void describe(const struct panel *panel, struct str *out)
{
	const struct explain_line *line = line_here((const struct explain_panel *)panel);

	if (line)
		str_add(out, line->text);
}

/* What the line is about. */
static void chosen(const struct panel *panel, struct selection *selection)
{
	const struct explain_panel *p = (const struct explain_panel *)panel;
	const struct explain_line *line = line_here(p);
	const struct trace *trace = panel->session->trace;

	if (!line)
		return;
	selection->location = line->location;
	selection->event = line->event;
	if (line->path != UINT32_MAX)
		selection->path = trace_callpath(trace, line->path)->canon;
	if (panel->session->base == p->base) {
		selection->wait = line->wait;
		selection->base = p->base;
	}
}

static void status(const struct panel *panel, struct str *out)
{
	const struct explain_panel *p = (const struct explain_panel *)panel;

	str_add_fmt(out, "line %zu/%zu", p->line + (p->e.lines.n > 0), p->e.lines.n);
}

static const char *exported(const struct panel *panel)
{
	(void)panel;
	return "explain";
}

const struct panel_ops explain_panel_ops = {
	.actions = actions,
	.enter_hint = "go there",
	.next_hint = "hop",
	.size = sizeof(struct explain_panel),
	.open = open_panel,
	.close = close_panel,
	.height = height,
	.draw = draw,
	.act = act,
	.describe = describe,
	.chosen = chosen,
	.work = work,
	.status = status,
	.exported = exported,
};
