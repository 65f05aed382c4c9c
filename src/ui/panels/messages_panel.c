/* Messages in four panes: who sends to whom, as a heat map beside the list of pairs; every message;
 * every collective; histograms of sizes and latencies. Enter on a pair shows its messages, on a message or collective the timeline;
 * on a message while differences are shown, its two locations before above after. */
#include <string.h>

#include "model/trace/message.h"
#include "ui/canvas/message_heat.h"
#include "ui/widgets/table_panel.h"

enum pane { PANE_PAIRS, PANE_MESSAGES, PANE_COLLECTIVES, PANE_HISTOGRAMS, PANES };
enum { BESIDE = 56 }; /* columns that the list of pairs needs beside the map */

struct messages_panel {
	struct panel panel;
	struct table_pane panes[PANES];
	enum pane front;
	struct heat_map heat;
	struct filter *pair_filter; /* only messages of one pair, NULL all; owned */
	char pair_text[64];
	uint64_t generation;
	uint64_t histograms; /* generation they are of: made when first shown */
};

static const enum action actions[] = { ACTION_ENTER, ACTION_NEXT_PANE, ACTION_PREV_PANE,
				       ACTION_BACK,  ACTION_SORT,      TABLE_PANE_ACTIONS,
				       ACTION_NONE };

static struct table_pane *front(const struct messages_panel *p)
{
	return (struct table_pane *)(uintptr_t)&p->panes[p->front];
}

/* ---- computing ---- */

static int64_t number(const struct table *table, const struct value *values, const char *name)
{
	const int c = table_column(table, name);
	return c >= 0 && values[c].known ? values[c].integer : 0;
}

static void fill_heat(struct messages_panel *p)
{
	struct table *table = p->panes[PANE_PAIRS].table;
	struct value values[TABLE_COLUMNS];
	heat_map_clear(&p->heat);
	if (!table)
		return;
	for (uint64_t row = table_first(table); row != ROW_NONE; row = table_next(table, row)) {
		const struct row_thing ranks = table_thing(table, row);
		table_cells(table, row, values);
		const struct heat_pair pair = {
			(int32_t)ranks.id,
			(int32_t)ranks.of,
			(uint64_t)number(table, values, "messages"),
			(uint64_t)number(table, values, "bytes"),
		};
		heat_map_add(&p->heat, &pair);
	}
	heat_map_finish(&p->heat);
}

static void take(struct messages_panel *p, enum pane pane, struct table *table,
		 const struct err *err, const char *empty)
{
	/* A key came first: keep the old table until the next requery. */
	if (!table && session_stopped(p->panel.session))
		return;
	if (!table)
		session_notice(p->panel.session, true, "%s", err->text);
	table_pane_take(&p->panes[pane], table);
	p->panes[pane].empty = empty;
}

static void query_messages(struct messages_panel *p)
{
	struct err err = ERR_INIT;
	struct query query = session_query(p->panel.session);
	if (p->pair_filter)
		query.filter = p->pair_filter;
	struct table *table = messages_table_new(&query, &err);
	take(p, PANE_MESSAGES, table, &err, "no messages in this window");
}

static void query_histograms(struct messages_panel *p)
{
	struct session *session = p->panel.session;
	if (p->front != PANE_HISTOGRAMS || p->histograms == session->generation)
		return;
	p->histograms = session->generation;
	struct err err = ERR_INIT;
	const struct query query = session_query(session);
	struct table *table = histograms_table_new(&query, &err);
	take(p, PANE_HISTOGRAMS, table, &err, "no messages in this window");
}

static void requery(struct panel *panel)
{
	struct messages_panel *p = (struct messages_panel *)panel;
	if (p->generation == panel->session->generation)
		return;
	p->generation = panel->session->generation;
	struct err err = ERR_INIT;
	const struct query query = session_query(panel->session);
	filter_free(p->pair_filter);
	p->pair_filter = NULL;
	struct table *pairs = matrix_table_new(&query, &err);
	take(p, PANE_PAIRS, pairs, &err, "no messages in this window");
	if (session_stopped(panel->session))
		return;
	fill_heat(p);
	query_messages(p);
	if (session_stopped(panel->session))
		return;
	struct table *collectives = collectives_table_new(&query, &err);
	take(p, PANE_COLLECTIVES, collectives, &err, "no collectives in this window");
	query_histograms(p);
}

static void close_panel(struct panel *panel)
{
	struct messages_panel *p = (struct messages_panel *)panel;
	for (int i = 0; i < PANES; i++)
		table_pane_fini(&p->panes[i]);
	heat_map_fini(&p->heat);
	filter_free(p->pair_filter);
}

/* ---- drawing ---- */

/* Columns of the heat map; 0 where the list of pairs leaves no room for it. */
static int heat_width(const struct messages_panel *p, struct rect body)
{
	if (p->front != PANE_PAIRS || p->heat.ranks.n == 0 || body.h < 5)
		return 0;
	const int room = body.w - BESIDE < body.w / 2 ? body.w - BESIDE : body.w / 2;
	return room >= 12 ? heat_map_width(&p->heat, room, body.h) : 0;
}

/* Area of the table in front: below the names of the panes, beside the map. */
static struct rect table_area(const struct messages_panel *p, struct rect area)
{
	struct rect body = { area.x, area.y + 1, area.w, area.h - 1 };
	const int heat = heat_width(p, body);
	if (heat) {
		body.x += heat + 3;
		body.w -= heat + 3;
	}
	return body;
}

static void draw_names(const struct messages_panel *p, struct canvas *canvas, struct rect area)
{
	static const char *const names[PANES] = { "Pairs", "Messages", "Collectives",
						  "Histograms" };
	int x = area.x + 1;
	for (int i = 0; i < PANES; i++) {
		struct str s = STR_INIT;
		str_add(&s, names[i]);
		if (i != PANE_HISTOGRAMS) {
			str_add(&s, " ");
			units_count(&s, p->panes[i].table ? p->panes[i].table->rows : 0);
		}
		if (i == PANE_MESSAGES && p->pair_filter)
			str_add_fmt(&s, " %s", p->pair_text);
		const bool active = i == (int)p->front;
		const int room = area.x + area.w - x;
		x += canvas_text(canvas, x, area.y, room, s.text, active ? ROLE_VALUE : ROLE_MUTED,
				 ROLE_DEFAULT, active ? ATTR_BOLD | ATTR_UNDERLINE : 0) +
		     3;
		str_fini(&s);
	}
}

static void draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct messages_panel *p = (const struct messages_panel *)panel;
	const struct rect body = { area.x + 1, area.y + 1, area.w - 1, area.h - 1 };
	const int heat = heat_width(p, body);
	draw_names(p, canvas, area);
	if (heat) {
		const struct row_thing pair = table_pane_thing(&p->panes[PANE_PAIRS]);
		heat_map_draw(&p->heat, canvas, (struct rect){ body.x, body.y, heat, body.h },
			      (int32_t)pair.id, (int32_t)pair.of);
	}
	table_pane_draw(front(p), canvas, table_area(p, area));
}

/* ---- acting ---- */

static unsigned enter_pair(struct messages_panel *p, int32_t src, int32_t dst)
{
	struct session *session = p->panel.session;
	struct str text = STR_INIT;
	if (session->filter && filter_text(session->filter)[0])
		str_add_fmt(&text, "(%s) && ", filter_text(session->filter));
	str_add_fmt(&text, "src == %d && dst == %d", src, dst);
	struct err err = ERR_INIT;
	struct filter *filter = filter_compile(text.text, session->trace, &err);
	str_fini(&text);
	if (!filter) {
		session_notice(session, true, "%s", err.text);
		return REACT_REDRAW;
	}
	filter_free(p->pair_filter);
	p->pair_filter = filter;
	struct str name = STR_INIT;
	str_add_fmt(&name, "(%d to %d)", src, dst);
	str_clean(p->pair_text, sizeof p->pair_text, name.text, name.n);
	str_fini(&name);
	query_messages(p);
	p->front = PANE_MESSAGES;
	return REACT_REDRAW;
}

static void go_timeline(struct session *session, uint32_t event)
{
	session_set_cursor(session, trace_event_location(session->trace, event),
			   trace_event_time(session->trace, session->base, event), event);
	session->goto_view = "timeline";
}

static unsigned enter_message(struct messages_panel *p, uint32_t id)
{
	struct session *session = p->panel.session;
	const struct message *m = trace_message(session->trace, id);
	if (m->flags & MSG_NO_SEND && m->flags & MSG_NO_RECV)
		return REACT_NONE;
	/* With differences shown: what was done to this one. */
	const struct query query = session_query(session);
	if (query.difference && !(m->flags & (MSG_NO_SEND | MSG_NO_RECV))) {
		struct err err = ERR_INIT;
		if (!session_compare(session, m->send, m->recv, query.against, query.base, &err))
			session_notice(session, true, "%s", err.text);
		return REACT_REDRAW;
	}
	go_timeline(session, m->flags & MSG_NO_SEND ? m->recv : m->send);
	return REACT_REDRAW;
}

static unsigned enter_collective(struct messages_panel *p, uint32_t id)
{
	struct session *session = p->panel.session;
	const struct collective *c = trace_collective(session->trace, id);
	/* Who came last is whom the others waited for. */
	uint32_t last = EVENT_NONE;
	int64_t latest = INT64_MIN;
	for (uint32_t m = c->first; m < c->first + c->members; m++) {
		const uint32_t begin = trace_member(session->trace, m)->begin;
		if (begin == EVENT_NONE)
			continue;
		const int64_t t = trace_event_time(session->trace, session->base, begin);
		if (t > latest) {
			latest = t;
			last = begin;
		}
	}
	if (last != EVENT_NONE)
		go_timeline(session, last);
	return REACT_REDRAW;
}

static unsigned enter(struct messages_panel *p)
{
	const struct row_thing thing = table_pane_thing(front(p));
	switch (thing.kind) {
	case THING_RANKS: return enter_pair(p, (int32_t)thing.id, (int32_t)thing.of);
	case THING_MESSAGE: return enter_message(p, thing.id);
	case THING_COLLECTIVE: return enter_collective(p, thing.id);
	default: return REACT_IGNORED;
	}
}

static unsigned back(struct messages_panel *p)
{
	if (!p->pair_filter)
		return REACT_IGNORED;
	filter_free(p->pair_filter);
	p->pair_filter = NULL;
	query_messages(p);
	p->front = PANE_PAIRS;
	return REACT_REDRAW;
}

static unsigned turn(struct messages_panel *p, int panes)
{
	p->front = (enum pane)(((int)p->front + panes) % PANES);
	query_histograms(p);
	return REACT_REDRAW;
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	struct messages_panel *p = (struct messages_panel *)panel;
	switch (action) {
	case ACTION_ENTER: return enter(p);
	case ACTION_BACK: return back(p);
	case ACTION_NEXT_PANE: return turn(p, 1);
	case ACTION_PREV_PANE: return turn(p, PANES - 1);
	default: return table_pane_act(front(p), action, count, table_area(p, panel->area));
	}
}

static void word(const struct panel *panel, struct str *out)
{
	const struct messages_panel *p = (const struct messages_panel *)panel;
	table_pane_word(front(p), p->front == PANE_COLLECTIVES ? "op" : "src", out);
}

static unsigned click(struct panel *panel, int x, int y, struct rect area)
{
	struct messages_panel *p = (struct messages_panel *)panel;
	const struct rect table = table_area(p, area);
	return x >= table.x && y >= table.y ? table_pane_click(front(p), x, y, table) : REACT_NONE;
}

static struct table_pane *pane_in_front(const struct panel *panel)
{
	return front((const struct messages_panel *)panel);
}

const struct panel_ops messages_panel_ops = {
	.actions = actions,
	.enter_hint = "follow",
	.size = sizeof(struct messages_panel),
	.close = close_panel,
	.requery = requery,
	.draw = draw,
	.act = act,
	.word = word,
	.click = click,
	.pane = pane_in_front,
	TABLE_PANEL_SLOTS,
};
