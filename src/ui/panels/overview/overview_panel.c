/* The overview: where the time went, the run in a few lines, and what to look at next. Enter goes
 * to the view that a finding names; Tab shows all sentences. */
#include <string.h>

#include "base/clock.h"
#include "ui/panels/overview/overview_panel_state.h"
#include "views/report/report_trace.h"

enum { TEXT_LEAST = 40, TEXT_MOST = 100 };

static const enum action actions[] = { ACTION_ENTER, ACTION_NEXT_PANE, ACTION_DOWN,
				       ACTION_UP,    ACTION_PAGE_DOWN, ACTION_PAGE_UP,
				       ACTION_FIRST, ACTION_LAST,      ACTION_PREV_PANE,
				       ACTION_NONE };

static struct overview_panel *overview_of(const struct panel *panel)
{
	return (struct overview_panel *)(uintptr_t)panel;
}

/* ---- computing ---- */

static void break_text(struct overview_panel *p)
{
	int width = p->panel.area.w - 2;

	width = width > TEXT_MOST ? TEXT_MOST : width < TEXT_LEAST ? TEXT_LEAST : width;
	overview_fini(&p->text);
	overview_lines(&p->text, &p->report, width);
	p->width = p->panel.area.w;
	if (p->line >= p->text.lines.n)
		p->line = 0;
}

/* Lines and columns are those of the page; a picture that still fits is kept. */
static void begin_picture(struct overview_panel *p, const struct query *query, bool again)
{
	const struct miniature *m = &p->miniature;
	struct overview_page page;

	if (!overview_page_of(p, p->panel.area, &page) || page.picture.h < 1)
		return;
	if (!again && m->locations && m->scale.n == page.picture.w &&
	    (m->rows == page.picture.h || (m->rows == (int)m->n && m->rows < page.picture.h)) &&
	    !miniature_stale(&p->miniature, query))
		return;
	/* Without records there is nothing to be seen in it. */
	if (!trace_event_count(query->trace) ||
	    !miniature_begin(&p->miniature, query, page.picture.h, page.picture.w)) {
		miniature_fini(&p->miniature);
		return;
	}
	miniature_work(&p->miniature, FIRST_SLICE_NS);
}

/* The cursor stays on what it is about. */
static void take_report(struct overview_panel *p, struct report *report)
{
	const struct report_line *line = overview_finding(p, p->cursor);
	const char *view = line ? line->view : NULL;
	const struct line_subject about = line ? line->about : (struct line_subject){ .is = false };
	const unsigned at = p->cursor;

	report_fini(&p->report);
	p->report = *report;
	p->n = report_highlights(&p->report, p->list);
	p->cursor = 0;
	for (unsigned i = 0; at && i < p->n; i++) {
		line = overview_finding(p, i);
		if (line->view == view && line->about.is == about.is &&
		    line->about.metric == about.metric && line->about.region == about.region &&
		    line->about.callpath == about.callpath)
			p->cursor = i;
	}
}

static void requery(struct panel *panel)
{
	struct overview_panel *p = overview_of(panel);
	const struct query query = session_query(panel->session);
	struct overview_page page;
	const bool again = p->generation != panel->session->generation;
	struct report report;

	if (again) {
		report_init(&report);
		report.brief = true;
		report_trace(&report, &query, false, NULL);
		/* What the look before at a job found stays until this one has it, too: lines that
		 * come and go every second cannot be read. */
		if (query_stopped(&query) ||
		    (report.searching && p->report.title && trace_live(query.trace))) {
			report_fini(&report);
			return;
		}
		p->generation = panel->session->generation;
		take_report(p, &report);
	}
	if (again || p->width != panel->area.w)
		break_text(p);
	p->as_text = p->wants_text || !overview_page_of(p, panel->area, &page);
	begin_picture(p, &query, again);
}

/* Computes everything again; the cursor stays on its line. */
static void renew(struct panel *panel)
{
	struct overview_panel *p = overview_of(panel);

	p->generation = 0;
	miniature_fini(&p->miniature);
}

static void close_panel(struct panel *panel)
{
	struct overview_panel *p = overview_of(panel);

	matcher_free(p->matcher);
	overview_fini(&p->text);
	report_fini(&p->report);
	miniature_fini(&p->miniature);
}

static bool work(struct panel *panel, unsigned *reactions)
{
	struct overview_panel *p = overview_of(panel);

	if (p->miniature.done || !p->miniature.locations)
		return false;
	if (miniature_work(&p->miniature, SLICE_NS))
		return true;
	*reactions |= REACT_REDRAW;
	return false;
}

static void draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct overview_panel *p = overview_of(panel);
	struct overview_page page;

	if (!p->as_text && overview_page_of(p, area, &page))
		overview_draw_page(p, canvas, &page);
	else
		overview_draw_text(p, canvas, area);
}

/* ---- keys ---- */

static const char *view_at(const struct overview_panel *p)
{
	const struct report_line *line = overview_finding(p, p->cursor);

	if (p->as_text)
		return p->line < p->text.lines.n ? p->text.lines.data[p->line].view : NULL;
	return line ? line->view : NULL;
}

static unsigned move(struct overview_panel *p, int by)
{
	if (p->as_text)
		overview_text_move(p, by);
	else if (p->n)
		p->cursor = by < 0 ? (p->cursor < (unsigned)-by ? 0 : p->cursor - (unsigned)-by)
			    : p->cursor + (unsigned)by < p->n ? p->cursor + (unsigned)by
							      : p->n - 1;
	return REACT_REDRAW;
}

static unsigned go_end(struct overview_panel *p, bool last)
{
	p->line = last && p->text.lines.n ? (unsigned)p->text.lines.n - 1 : 0;
	p->cursor = last && p->n ? p->n - 1 : 0;
	return REACT_REDRAW;
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	struct overview_panel *p = overview_of(panel);
	struct overview_page page;

	if (p->text.lines.n == 0)
		return REACT_IGNORED;
	p->touched |= action != ACTION_NEXT_PANE && action != ACTION_PREV_PANE;
	switch (action) {
	case ACTION_DOWN: return move(p, count);
	case ACTION_UP: return move(p, -count);
	case ACTION_PAGE_DOWN:
	case ACTION_LAST: return go_end(p, true);
	case ACTION_PAGE_UP:
	case ACTION_FIRST: return go_end(p, false);
	case ACTION_NEXT_PANE:
	case ACTION_PREV_PANE:
		p->wants_text = !p->wants_text;
		p->as_text = p->wants_text || !overview_page_of(p, panel->area, &page);
		return REACT_REDRAW;
	case ACTION_ENTER:
		panel->session->asked.goto_view = view_at(p);
		if (!panel->session->asked.goto_view)
			panel->session->asked.goto_view = "timeline";
		return REACT_REDRAW;
	default: return REACT_IGNORED;
	}
}

static const char *text_at(const struct overview_panel *p, bool text, unsigned at)
{
	return text ? p->text.lines.data[at].text : overview_finding(p, at)->text;
}

/* Looks through the findings or the text from its cursor on; false: nothing there. */
static bool search_in(struct overview_panel *p, bool text, unsigned from, int direction)
{
	const unsigned n = text ? (unsigned)p->text.lines.n : p->n;

	for (unsigned i = direction != 0; n && i < n + (direction != 0); i++) {
		const unsigned at = direction < 0 ? (from + n - i % n) % n : (from + i) % n;
		const char *line = text_at(p, text, at);

		if (!matcher_hits(p->matcher, line, strlen(line)))
			continue;
		*(text ? &p->line : &p->cursor) = at;
		return true;
	}
	return false;
}

/* What no finding has is looked for in all sentences. */
static bool search(struct panel *panel, const char *pattern, int direction, struct err *err)
{
	struct overview_panel *p = overview_of(panel);
	unsigned *cursor = p->as_text ? &p->line : &p->cursor;

	p->touched = true;
	if (!p->matcher)
		p->origin = *cursor;
	if (!matcher_change(&p->matcher, pattern, err))
		return false;
	if (!p->matcher) {
		*cursor = direction == 0 ? p->origin : *cursor;
		return true;
	}
	if (search_in(p, p->as_text, direction == 0 ? p->origin : *cursor, direction))
		return true;
	if (!p->as_text && search_in(p, true, 0, 0)) {
		p->as_text = p->wants_text = true;
		p->origin = 0;
		return true;
	}
	return err_set(err, STATUS_NO, "no line matches '%s'", pattern);
}

static void chosen(const struct panel *panel, struct selection *selection)
{
	const struct overview_panel *p = overview_of(panel);
	const struct report_line *line = overview_finding(p, p->cursor);
	const struct line_subject *about = line ? &line->about : NULL;

	if (p->as_text)
		about = p->line < p->text.lines.n ? &p->text.lines.data[p->line].about : NULL;
	if (!p->touched || !about || !about->is)
		return;
	selection->metric = about->metric;
	selection->region = about->region;
	selection->path = about->callpath;
	selection->location = about->location;
}

static void describe(const struct panel *panel, struct str *out)
{
	const struct overview_panel *p = overview_of(panel);

	if (p->as_text ? p->line < p->text.lines.n : p->cursor < p->n)
		str_add(out, text_at(p, p->as_text, p->as_text ? p->line : p->cursor));
}

static void commands(const struct panel *panel, struct str *out)
{
	const struct overview_panel *p = overview_of(panel);

	if (p->cursor || p->line || p->wants_text)
		str_add_fmt(out, "state %u %u %d\n", p->cursor, p->line, p->wants_text);
}

static bool restore(struct panel *panel, const char *numbers)
{
	struct overview_panel *p = overview_of(panel);
	unsigned cursor, line;
	int text;

	if (sscanf(numbers, "%u %u %d", &cursor, &line, &text) != 3)
		return false;
	p->touched = true;
	p->cursor = cursor < p->n ? cursor : 0;
	p->line = line < p->text.lines.n ? line : 0;
	p->wants_text = text;
	return true;
}

static bool inside(struct rect r, int x, int y)
{
	return x >= r.x && x < r.x + r.w && y >= r.y && y < r.y + r.h;
}

/* A click on a finding selects it; on the picture or the bars it goes to their view. */
static unsigned click(struct panel *panel, int x, int y, struct rect area)
{
	struct overview_panel *p = overview_of(panel);
	struct overview_page page;

	p->touched = true;
	if (p->as_text || !overview_page_of(p, area, &page)) {
		const unsigned at = overview_text_top(p, area.h) + (unsigned)(y - area.y);
		p->line = at < p->text.lines.n ? at : p->line;
		return REACT_REDRAW;
	}
	if (inside(page.list, x, y) && y > page.list.y && (unsigned)(y - page.list.y - 1) < p->n)
		p->cursor = (unsigned)(y - page.list.y - 1);
	else if (inside(page.picture, x, y) || inside(page.ruler, x, y))
		panel->session->asked.goto_view = "timeline";
	else if (inside(page.bars, x, y) && overview_bar(&p->report, 0))
		panel->session->asked.goto_view = overview_bar(&p->report, 0)->view;
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
	.commands = commands,
	.restore = restore,
	.describe = describe,
	.work = work,
	.click = click,
};
