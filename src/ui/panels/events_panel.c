/* The event list: one row an event; follows the cursor that all views share, and moves it. */
#include "model/trace/message.h"
#include "ui/widgets/table_panel.h"

struct events_panel {
	struct panel panel;
	struct table_pane pane;
	uint64_t generation; /* of the session the table was made from */
};

static const enum action actions[] = { ACTION_ENTER, ACTION_SEARCH_THIS, TABLE_PANE_ACTIONS,
				       ACTION_NONE };

/* The row of the event under the shared cursor; without an event, of the first one at its time. */
static void follow(struct events_panel *p)
{
	const struct session *session = p->panel.session;
	struct table *table = p->pane.table;
	if (!table || p->pane.cursor == ROW_NONE)
		return;
	uint64_t row = ROW_NONE;
	if (session->cursor_event != EVENT_NONE)
		row = events_table_row(table, session->cursor_event);
	if (row == ROW_NONE && session->cursor_event == EVENT_NONE && table->ops->seek_time)
		row = table->ops->seek_time(table, session->cursor_time);
	table_pane_go(&p->pane, row, p->panel.area);
}

/* Moves the shared cursor to the row; the row is within the window, which stays. */
static void lead(struct events_panel *p)
{
	struct session *session = p->panel.session;
	if (!p->pane.table || p->pane.cursor == ROW_NONE)
		return;
	const uint32_t event = table_pane_thing(&p->pane).id;
	session_set_cursor(session, trace_event_location(session->trace, event),
			   trace_event_time(session->trace, session->base, event), event);
}

static void requery(struct panel *panel)
{
	struct events_panel *p = (struct events_panel *)panel;
	struct session *session = panel->session;
	if (p->generation != session->generation) {
		struct err err = ERR_INIT;
		const struct query query = session_query(session);
		struct table *table = events_table_new(&query, &err);
		if (!table)
			session_notice(session, true, "%s", err.text);
		table_pane_take(&p->pane, table);
		p->pane.empty = session->filter ? "no events match the filter; f changes it"
						: "no events in this window";
		p->generation = session->generation;
	}
	follow(p);
}

static void close_panel(struct panel *panel)
{
	table_pane_fini(&((struct events_panel *)panel)->pane);
}

static void draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	table_pane_draw(&((const struct events_panel *)panel)->pane, canvas, area);
}

/* The other end of a message, the other members' first of a collective, the other end of a
 * visit. */
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

static unsigned enter(struct events_panel *p)
{
	struct session *session = p->panel.session;
	const uint32_t event = table_pane_thing(&p->pane).id;
	const uint32_t partner = partner_of(session->trace, event);
	if (partner == EVENT_NONE) {
		session_notice(session, false, "this event has no partner");
		return REACT_REDRAW;
	}
	session_set_cursor(session, trace_event_location(session->trace, partner),
			   trace_event_time(session->trace, session->base, partner), partner);
	if (session->filter && events_table_row(p->pane.table, partner) == ROW_NONE)
		session_notice(session, false, "the filter hides the partner; f changes it");
	return REACT_REDRAW;
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	struct events_panel *p = (struct events_panel *)panel;
	if (action == ACTION_ENTER && p->pane.table && p->pane.cursor != ROW_NONE)
		return enter(p);
	const uint64_t before = p->pane.cursor;
	const unsigned reactions = table_pane_act(&p->pane, action, count, panel->area);
	if (p->pane.cursor != before)
		lead(p);
	return reactions;
}

static bool search(struct panel *panel, const char *pattern, int direction, struct err *err)
{
	struct events_panel *p = (struct events_panel *)panel;
	const bool found = table_pane_search(&p->pane, pattern, direction, err);
	lead(p);
	return found;
}

static bool work(struct panel *panel, unsigned *reactions)
{
	struct events_panel *p = (struct events_panel *)panel;
	const uint64_t before = p->pane.cursor;
	const bool more = table_pane_work(&p->pane, panel->session, reactions);
	if (p->pane.cursor != before)
		lead(p);
	return more;
}

static void word(const struct panel *panel, struct str *out)
{
	table_pane_word(&((const struct events_panel *)panel)->pane, "region", out);
}

static unsigned click(struct panel *panel, int x, int y, struct rect area)
{
	struct events_panel *p = (struct events_panel *)panel;
	const unsigned reactions = table_pane_click(&p->pane, x, y, area);
	lead(p);
	return reactions;
}

static struct table_pane *pane_in_front(const struct panel *panel)
{
	return (struct table_pane *)(uintptr_t) & ((const struct events_panel *)panel)->pane;
}

const struct panel_ops events_panel_ops = {
	.actions = actions,
	.enter_hint = "partner",
	.size = sizeof(struct events_panel),
	.close = close_panel,
	.requery = requery,
	.draw = draw,
	.act = act,
	.search = search,
	.describe = table_panel_describe,
	.word = word,
	.source = table_panel_source,
	.work = work,
	.status = table_panel_status,
	.click = click,
	.pane = pane_in_front,
};
