/* The trace less the one that it is compared with, in panes: by metric; by call path and by rank for the
 * metric that was chosen there. Enter goes down: from a metric to its call paths, from a call path or a
 * rank into the timeline. */
#include <math.h>
#include <string.h>

#include "ui/widgets/table_panel.h"
#include "views/query/second_trace.h"
#include "views/query/view_common.h"

enum pane { PANE_METRICS, PANE_PATHS, PANE_PLACES, PANES };
enum { HEADING = 2 };

struct difference_panel {
	struct panel panel;
	struct table_pane panes[PANES];
	enum pane front;
	enum cube_metric metric; /* of paths and places */
	uint64_t generation;
};

static const enum action actions[] = { ACTION_ENTER,       ACTION_NEXT_PANE, ACTION_PREV_PANE,
				       ACTION_SEARCH_THIS, ACTION_BACK,      TABLE_PANE_ACTIONS,
				       ACTION_NONE };
static const struct {
	const char *name;
	unsigned by;
} panes[PANES] = {
	[PANE_METRICS] = { "Metrics", 0 },
	[PANE_PATHS] = { "Call paths", DELTA_BY_PATH },
	[PANE_PLACES] = { "Ranks", DELTA_BY_PLACE },
};

static struct table_pane *front(const struct difference_panel *p)
{
	return (struct table_pane *)(uintptr_t)&p->panes[p->front];
}

static struct rect pane_area(struct rect area)
{
	area.y += HEADING;
	area.h -= HEADING;
	return area;
}

/* ---- computing ---- */

static void make(struct difference_panel *p, enum pane pane)
{
	struct session *session = p->panel.session;
	struct query query = session_query(session);
	struct err err = ERR_INIT;
	struct table *table;

	query.metric = pane == PANE_METRICS ? CUBE_NONE : (uint8_t)p->metric;
	table = compared_table_new(&query, panes[pane].by, &err);
	if (!table && query_stopped(&query))
		return;
	if (!table)
		session_notice(session, true, "%s", err.text);
	table_pane_take(&p->panes[pane], table);
	p->panes[pane].empty = session->other ? "Neither trace has this metric in this window."
					      : "only one trace is open; start as: tview OLD TRACE";
}

static void requery(struct panel *panel)
{
	struct difference_panel *p = (struct difference_panel *)panel;

	if (p->generation == panel->session->generation)
		return;
	for (int i = 0; i < PANES; i++)
		make(p, (enum pane)i);
	if (!session_stopped(panel->session))
		p->generation = panel->session->generation;
}

static bool open_panel(struct panel *panel, struct session *session, struct err *err)
{
	(void)err;
	((struct difference_panel *)panel)->metric =
		session->metric != CUBE_NONE ? (enum cube_metric)session->metric : CUBE_TIME;
	return true;
}

static void close_panel(struct panel *panel)
{
	for (int i = 0; i < PANES; i++)
		table_pane_fini(&((struct difference_panel *)panel)->panes[i]);
}

/* ---- drawing ---- */

static void draw_heading(const struct difference_panel *p, struct canvas *canvas, struct rect area)
{
	const struct other *other = p->panel.session->other;
	struct str text = STR_INIT;
	int x = area.x;

	for (int i = 0; i < PANES; i++) {
		str_clear(&text);
		str_add_fmt(&text, " %s ", panes[i].name);
		x += canvas_text(canvas, x, area.y, area.x + area.w - x, text.text,
				 i == (int)p->front ? ROLE_TAB_ACTIVE : ROLE_TAB,
				 i == (int)p->front ? ROLE_TAB_ACTIVE : ROLE_DEFAULT, 0);
	}
	str_clear(&text);
	if (p->front != PANE_METRICS)
		str_add_fmt(&text, "%s   ", cube_metric_info(p->metric)->title);
	str_add(&text, "less ");
	str_add_clean(&text, trace_path(other->trace), strlen(trace_path(other->trace)));
	if (other->n > 1)
		str_add_fmt(&text, "   noise of %u runs", other->n);
	canvas_text_right(canvas, x + 1, area.y, area.x + area.w - x - 1, text.text, ROLE_MUTED,
			  ROLE_DEFAULT, 0);
	str_clear(&text);
	if (other->delta)
		align_sentence(delta_alignment(other->delta), &text);
	canvas_text(canvas, area.x + 1, area.y + 1, area.w - 1, text.text, ROLE_MUTED, ROLE_DEFAULT,
		    0);
	str_fini(&text);
}

static void draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct difference_panel *p = (const struct difference_panel *)panel;

	if (panel->session->other)
		draw_heading(p, canvas, area);
	table_pane_draw(front(p), canvas, pane_area(area));
}

/* ---- going into the timeline ---- */

/* Of the locations that a row is about the one where the metric differs most; of the open trace. */
static uint32_t worst_location(const struct difference_panel *p, struct row_thing row)
{
	const struct delta *delta = p->panel.session->other->delta;
	const struct alignment *a = delta_alignment(delta);
	struct delta_rows rows = { VEC_INIT };
	uint32_t place = row.of;

	if (place == ALIGN_NONE) {
		delta_rows(delta, p->metric, DELTA_BY_PATH | DELTA_BY_PLACE, &rows);
		delta_sort(&rows);
		for (size_t i = 0; i < rows.list.n && place == ALIGN_NONE; i++)
			if (rows.list.data[i].path == row.id &&
			    a->places[rows.list.data[i].place].n[ALIGN_NEW])
				place = rows.list.data[i].place;
		vec_fini(&rows.list);
	}
	return place == ALIGN_NONE || !a->places[place].n[ALIGN_NEW] ? UINT32_MAX
								     : a->places[place].some;
}

/* The first event of the window in a call path on a location, EVENT_NONE without. */
static uint32_t first_event(const struct session *session, uint32_t location, uint32_t path)
{
	enum { EVENTS_A_STEP = 4096 };
	struct cursor c;
	uint64_t n = 0;
	bool ok = cursor_seek(&c, session->trace, session->base, location, session->window.t0);

	for (; ok && cursor_time(&c) < session->window.t1; ok = cursor_next(&c)) {
		if (trace_callpath(session->trace, cursor_path(&c))->canon == path)
			return c.id;
		if (++n % EVENTS_A_STEP == 0 && session_stopped(session))
			break;
	}
	return EVENT_NONE;
}

static unsigned go(struct difference_panel *p, struct row_thing row)
{
	struct session *session = p->panel.session;
	const struct alignment *a = delta_alignment(session->other->delta);
	const uint32_t location = worst_location(p, row);
	const uint32_t path = row.id == ALIGN_NONE ? ALIGN_NONE : a->paths[row.id].path[ALIGN_NEW];
	uint32_t event = EVENT_NONE;

	if (location == UINT32_MAX) {
		session_notice(session, false, "this call path exists only in the old trace");
		return REACT_REDRAW;
	}
	if (path != ALIGN_NONE && path != 0)
		event = first_event(session, location, path);
	session_set_cursor(session, location,
			   event == EVENT_NONE
				   ? session->window.t0
				   : trace_event_time(session->trace, session->base, event),
			   event);
	session->goto_view = "timeline";
	return REACT_REDRAW;
}

/* ---- keys ---- */

static unsigned enter(struct difference_panel *p)
{
	const struct row_thing row = table_pane_thing(front(p));

	if (row.kind == THING_ALIGNED)
		return go(p, row);
	if (row.kind != THING_METRIC)
		return REACT_IGNORED;
	p->metric = (enum cube_metric)row.id;
	p->panel.session->metric = (uint8_t)row.id;
	make(p, PANE_PATHS);
	make(p, PANE_PLACES);
	p->front = PANE_PATHS;
	return REACT_REDRAW;
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	struct difference_panel *p = (struct difference_panel *)panel;

	switch (action) {
	case ACTION_ENTER: return enter(p);
	case ACTION_NEXT_PANE: p->front = (p->front + 1) % PANES; return REACT_REDRAW;
	case ACTION_PREV_PANE: p->front = (p->front + PANES - 1) % PANES; return REACT_REDRAW;
	case ACTION_BACK:
		if (p->front == PANE_METRICS)
			return REACT_IGNORED;
		p->front = PANE_METRICS;
		return REACT_REDRAW;
	default: return table_pane_act(front(p), action, count, pane_area(panel->area));
	}
}

static void word(const struct panel *panel, struct str *out)
{
	const struct difference_panel *p = (const struct difference_panel *)panel;

	table_pane_word(front(p), p->front == PANE_PATHS ? "callpath" : "metric", out);
}

static unsigned click(struct panel *panel, int x, int y, struct rect area)
{
	return table_pane_click(front((const struct difference_panel *)panel), x, y,
				pane_area(area));
}

static struct table_pane *pane_in_front(const struct panel *panel)
{
	return front((const struct difference_panel *)panel);
}

const struct panel_ops difference_panel_ops = {
	.actions = actions,
	.enter_hint = "go there",
	.size = sizeof(struct difference_panel),
	.open = open_panel,
	.close = close_panel,
	.requery = requery,
	.draw = draw,
	.act = act,
	.word = word,
	.click = click,
	.pane = pane_in_front,
	TABLE_PANEL_SLOTS,
};
