/* Differences from the trace compared with, in panes: by metric; by call path and by rank for the
 * metric chosen there. Enter goes down: from a metric to its call paths, from a call path or a rank
 * into the timeline. */
#include <string.h>

#include "ui/widgets/table_tabs.h"
#include "views/query/second_trace.h"

enum pane { PANE_METRICS, PANE_PATHS, PANE_PLACES, PANES };
enum { HEADING = 2 };

struct difference_panel {
	struct table_tabs tabs;
	enum cube_metric metric; /* of paths and places */
};

static const enum action actions[] = { ACTION_ENTER,       ACTION_NEXT_PANE, ACTION_PREV_PANE,
				       ACTION_SEARCH_THIS, ACTION_BACK,      TABLE_PANE_ACTIONS,
				       ACTION_NONE };

static struct rect table_area(const struct panel *panel, struct rect area)
{
	(void)panel;
	area.y += HEADING;
	area.h -= HEADING;
	return area;
}

/* ---- computing ---- */

static struct table *make(struct panel *panel, unsigned pane, struct query *query, struct err *err)
{
	static const unsigned by[PANES] = { 0, DELTA_BY_PATH, DELTA_BY_PLACE };
	const struct difference_panel *p = (const struct difference_panel *)panel;

	query->metric = pane == PANE_METRICS ? CUBE_NONE : (uint8_t)p->metric;
	return compared_table_new(query, by[pane], err);
}

static void empty(const struct panel *panel, unsigned pane, struct str *out)
{
	(void)pane;
	str_add(out, panel->session->other ? "Neither trace has this metric in this window."
					   : "only one trace is open; start as: tview OLD TRACE");
}

static void open_panel(struct panel *panel)
{
	const uint8_t metric = panel->session->metric;

	((struct difference_panel *)panel)->metric =
		metric != CUBE_NONE ? (enum cube_metric)metric : CUBE_TIME;
}

/* ---- drawing ---- */

/* Names the runs compared, to the right of the pane names and below them. */
static void draw_heading(const struct difference_panel *p, struct canvas *canvas, struct rect area,
			 int x)
{
	const struct other *other = p->tabs.panel.session->other;
	OWNED_STR text = STR_INIT;

	if (p->tabs.front != PANE_METRICS)
		str_add_fmt(&text, "%s   ", cube_metric_info(p->metric)->title);
	str_add(&text, "old: ");
	trace_add_name(other->trace, &text);
	if (other->n > 1)
		str_add_fmt(&text, "   noise of %u runs", other->n);
	else
		str_add(&text, "   one run each: noise unknown");
	canvas_text_right(canvas, x + 1, area.y, area.x + area.w - x - 1, text.text, ROLE_MUTED,
			  ROLE_DEFAULT);
	str_clear(&text);
	if (other->delta)
		align_sentence(delta_alignment(other->delta), &text);
	canvas_write(canvas, area.x + 1, area.y + 1, area.w - 1, text.text, ROLE_MUTED);
}

static void draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	if (panel->session->other)
		draw_heading((const struct difference_panel *)panel, canvas, area,
			     table_tabs_draw(panel, canvas, area));
	else
		table_pane_draw(table_tabs_front(panel), canvas, table_area(panel, area));
}

/* ---- going into the timeline ---- */

/* The location of the open trace at which the metric of a row differs most; UINT32_MAX: none. */
static uint32_t worst_location(const struct difference_panel *p, struct row_thing row)
{
	const struct delta *delta = p->tabs.panel.session->other->delta;
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

/* The window's first event in a call path on a location; EVENT_NONE: none. */
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
	struct session *session = p->tabs.panel.session;
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
	session->asked.goto_view = "timeline";
	return REACT_REDRAW;
}

/* ---- keys ---- */

static unsigned enter(struct difference_panel *p)
{
	const struct row_thing row = table_pane_thing(table_tabs_front(&p->tabs.panel));

	if (row.kind == THING_ALIGNED)
		return go(p, row);
	if (row.kind != THING_METRIC)
		return REACT_IGNORED;
	p->metric = (enum cube_metric)row.id;
	p->tabs.panel.session->metric = (uint8_t)row.id;
	p->tabs.made[PANE_PLACES] = 0;
	return table_tabs_show(&p->tabs.panel, PANE_PATHS, true);
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	struct difference_panel *p = (struct difference_panel *)panel;

	if (action == ACTION_ENTER)
		return enter(p);
	if (action == ACTION_BACK)
		return p->tabs.front == PANE_METRICS ? REACT_IGNORED
						     : table_tabs_show(panel, PANE_METRICS, false);
	return table_tabs_act(panel, action, count);
}

/* Of the open trace. */
static void chosen(const struct panel *panel, struct selection *selection)
{
	const struct session *session = panel->session;
	const struct query query = session_query(session);
	const struct row_thing row = table_pane_thing(table_tabs_front(panel));
	const struct alignment *a;

	if (row.kind != THING_ALIGNED) {
		selection_of_thing(selection, &query, row);
		return;
	}
	a = delta_alignment(session->other->delta);
	selection->metric = (uint8_t)((const struct difference_panel *)panel)->metric;
	if (row.id != ALIGN_NONE && a->paths[row.id].path[ALIGN_NEW] != ALIGN_NONE)
		selection->path = a->paths[row.id].path[ALIGN_NEW];
	if (row.of != ALIGN_NONE && a->places[row.of].n[ALIGN_NEW])
		selection->location = a->places[row.of].some;
}

static const struct table_tabs_info tabs = {
	.tabs = {
		[PANE_METRICS] = { "Metrics", "metric", .by = "metric" },
		[PANE_PATHS] = { "Call paths", "callpath", .by = "region" },
		[PANE_PLACES] = { "Ranks", "metric", .by = "rank" },
	},
	.n = PANES,
	.make = make,
	.empty = empty,
	.area = table_area,
};

const struct panel_ops difference_panel_ops = {
	.actions = actions,
	.enter_hint = "go there",
	.size = sizeof(struct difference_panel),
	.open = open_panel,
	.close = table_tabs_close,
	.requery = table_tabs_requery,
	.draw = draw,
	.act = act,
	.tabs = &tabs,
	.land = table_tabs_land,
	TABLE_TABS_SLOTS,
	.chosen = chosen,
};
