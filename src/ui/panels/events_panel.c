/* The event list: one row for each event; follows the cursor that all views share, and moves it. */
#include "model/trace/message.h"
#include "ui/widgets/table_tabs.h"
#include "views/facts/event_content.h"

static const enum action actions[] = { ACTION_ENTER, ACTION_SEARCH_THIS, TABLE_PANE_ACTIONS,
				       ACTION_NONE };

/* Finds the row of the event under the shared cursor; without an event, of the first one at its
 * time. */
static void follow(struct panel *panel)
{
	const struct session *session = panel->session;
	struct table_pane *pane = table_tabs_front(panel);
	struct table *table = pane->table;
	if (!table || pane->cursor == ROW_NONE)
		return;
	uint64_t row = ROW_NONE;
	if (session->cursor.event != EVENT_NONE)
		row = events_table_row(table, session->cursor.event);
	if (row == ROW_NONE && session->cursor.event == EVENT_NONE && table->ops->seek_time)
		row = table->ops->seek_time(table, session->cursor.time);
	table_pane_go(pane, row, panel->ops->tabs->area(panel, panel->area));
}

/* The first event of the selection's location in the window that is not before the event or,
 * without one, before the cursor. */
static uint32_t next_event(const struct session *session, const struct selection *selection,
			   uint32_t event)
{
	const uint32_t location =
		selection->location == UINT32_MAX ? session->cursor.location : selection->location;
	int64_t t = event == EVENT_NONE ? session->cursor.time
					: trace_event_time(session->trace, session->base, event);
	struct cursor c;

	if (t < session->window.t0)
		t = session->window.t0;
	return location < trace_location_count(session->trace) &&
			       cursor_seek(&c, session->trace, session->base, location, t)
		       ? c.id
		       : EVENT_NONE;
}

/* Moves the shared cursor to the row, which is within the window: the window stays. */
static void lead(struct panel *panel)
{
	const struct table_pane *pane = table_tabs_front(panel);
	if (pane->table && pane->cursor != ROW_NONE)
		session_go_event(panel->session, table_pane_thing(pane).id);
}

static struct table *make(struct panel *panel, unsigned tab, struct query *query, struct err *err)
{
	(void)panel;
	(void)tab;
	return events_table_new(query, err);
}

static void empty(const struct panel *panel, unsigned tab, struct str *out)
{
	(void)tab;
	session_none(panel->session, "events", out);
}

static void requery(struct panel *panel)
{
	table_tabs_requery(panel);
	follow(panel);
}

/* To the event; one that the list does not have, or none: to the next one of its location. */
static bool land(struct panel *panel, const struct selection *selection)
{
	struct session *session = panel->session;
	struct table *table = table_tabs_front(panel)->table;
	const struct query query = session_query(session);
	uint32_t event;

	if (!table)
		return false;
	if (!selection_holds(selection, &query, session->cursor.location, session->cursor.time,
			     session->cursor.event) ||
	    session->cursor.event == EVENT_NONE) {
		event = selection_event(selection, &query);
		if (event == EVENT_NONE || events_table_row(table, event) == ROW_NONE)
			event = next_event(session, selection, event);
		if (event != EVENT_NONE && events_table_row(table, event) != ROW_NONE)
			session_go_event(session, event);
	}
	follow(panel);
	return true;
}

/* Below the list is what the event under the cursor says, where events of the trace say anything:
 * its column is the last one. */
static bool has_details(const struct panel *panel, struct rect area)
{
	return area.h > 6 && event_content_any(panel->session->trace);
}

static struct rect table_area(const struct panel *panel, struct rect area)
{
	area.h -= has_details(panel, area);
	return area;
}

static void draw_details(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct table_pane *pane = table_tabs_front(panel);
	OWNED_STR s = STR_INIT;

	if (!has_details(panel, area) || !pane->table || pane->cursor == ROW_NONE)
		return;
	event_content(panel->session->trace, table_pane_thing(pane).id, &s);
	canvas_write(canvas, area.x + 1, area.y + area.h - 1, area.w - 2,
		     s.n ? s.text : "this event has no data or attributes",
		     s.n ? ROLE_VALUE : ROLE_MUTED);
}

static void draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	table_pane_draw(table_tabs_front(panel), canvas, table_area(panel, area));
	draw_details(panel, canvas, area);
}

/* The other end of a message, the first other member of a collective, the other end of a visit. */
static uint32_t partner_of(const struct trace *trace, uint32_t event)
{
	const uint32_t what = trace_event_what(trace, event);
	const uint32_t id = what_id(what);
	switch (what_kind(what)) {
	case EV_SEND:
	case EV_SEND_COMPLETE:
		if (id != ID_NONE && !(trace_message(trace, id)->flags & MSG_NO_RECV))
			return trace_message(trace, id)->recv;
		return EVENT_NONE;
	case EV_RECV:
	case EV_RECV_REQUEST:
	case EV_REQUEST_TEST:
		if (id != ID_NONE && !(trace_message(trace, id)->flags & MSG_NO_SEND))
			return trace_message(trace, id)->send;
		return EVENT_NONE;
	case EV_COLLECTIVE_BEGIN: return id == ID_NONE ? EVENT_NONE : trace_member(trace, id)->end;
	case EV_COLLECTIVE_END: return id == ID_NONE ? EVENT_NONE : trace_member(trace, id)->begin;
	case EV_ENTER:
	case EV_LEAVE: return trace_event_partner(trace, event);
	default: return EVENT_NONE;
	}
}

static unsigned enter(struct panel *panel)
{
	struct session *session = panel->session;
	const struct table_pane *pane = table_tabs_front(panel);
	const uint32_t partner = partner_of(session->trace, table_pane_thing(pane).id);
	if (partner == EVENT_NONE) {
		session_notice(session, false, "this event has no partner");
		return REACT_REDRAW;
	}
	session_go_event(session, partner);
	if (session->filter && events_table_row(pane->table, partner) == ROW_NONE)
		session_notice(session, false, "the filter hides the partner; %s changes it",
			       session_key(session, ACTION_FILTER).text);
	return REACT_REDRAW;
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	const struct table_pane *pane = table_tabs_front(panel);
	return action == ACTION_ENTER && pane->table && pane->cursor != ROW_NONE
		       ? enter(panel)
		       : table_tabs_act(panel, action, count);
}

static const struct table_tabs_info tabs = {
	.tabs = { { "Events", "region" } },
	.n = 1,
	.make = make,
	.empty = empty,
	.area = table_area,
};

const struct panel_ops events_panel_ops = {
	.actions = actions,
	.enter_hint = "partner",
	.size = sizeof(struct table_tabs),
	.close = table_tabs_close,
	.requery = requery,
	.renew = table_tabs_renew,
	.draw = draw,
	.act = act,
	.land = land,
	.moved = lead,
	.tabs = &tabs,
	.chosen = table_panel_chosen,
	TABLE_TABS_SLOTS,
};
