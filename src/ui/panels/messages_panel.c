/* Messages in four panes: the ranks' pairs, as a heat map beside a list; every message; every
 * collective; histograms of sizes and latencies; and a fifth with copies of accelerators, where
 * there are any. Enter on a pair shows its messages, on a message or collective the timeline; on a
 * message while differences are shown, its two locations in both time bases. */
#include <string.h>

#include "model/trace/copy.h"
#include "model/trace/message.h"
#include "model/trace/program.h"
#include "ui/canvas/message_heat.h"
#include "ui/widgets/table_tabs.h"

enum pane { PANE_PAIRS, PANE_MESSAGES, PANE_COLLECTIVES, PANE_HISTOGRAMS, PANE_COPIES, PANES };
enum { BESIDE = 56 }; /* width of the list of pairs beside the map */

struct messages_panel {
	struct table_tabs tabs;
	struct heat_map heat;
	struct filter *pair_filter; /* messages of one pair; NULL: all; owned */
	char pair_text[64];
	int32_t src, dst;    /* the pair */
	uint64_t generation; /* of the session in which the pair was chosen */
};

static const enum action actions[] = { ACTION_ENTER, ACTION_NEXT_PANE, ACTION_PREV_PANE,
				       ACTION_BACK,  ACTION_SORT,      TABLE_PANE_ACTIONS,
				       ACTION_NONE };

/* ---- computing ---- */

static int64_t number(const struct table *table, const struct value *values, const char *name)
{
	const int c = table_column(table, name);
	return c >= 0 && values[c].known ? values[c].integer : 0;
}

static void fill_heat(struct messages_panel *p, struct table *table)
{
	struct value values[TABLE_COLUMNS];
	heat_map_clear(&p->heat);
	if (!table)
		return;
	for (uint64_t row = table_first(table); row != ROW_NONE; row = table_next(table, row)) {
		const struct row_thing ranks = table_thing(table, row);
		if (ranks.kind != THING_RANKS)
			continue;
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

static struct table *make(struct panel *panel, unsigned pane, struct query *query, struct err *err)
{
	struct messages_panel *p = (struct messages_panel *)panel;
	struct table *table;

	switch (pane) {
	case PANE_MESSAGES:
		if (p->pair_filter)
			query->filter = p->pair_filter;
		return messages_table_new(query, err);
	case PANE_COLLECTIVES: return collectives_table_new(query, err);
	case PANE_HISTOGRAMS: return histograms_table_new(query, err);
	case PANE_COPIES: return copies_table_new(query, err);
	default: break;
	}
	table = matrix_table_new(query, err);
	if (table || !session_stopped(panel->session))
		fill_heat(p, table);
	return table;
}

static void empty(const struct panel *panel, unsigned pane, struct str *out)
{
	if (!trace_records_alone(panel->session->trace))
		session_none(panel->session,
			     pane == PANE_COLLECTIVES ? "collectives"
			     : pane == PANE_COPIES    ? "copies of accelerators"
						      : "messages",
			     out);
	else if (pane == PANE_PAIRS)
		str_add(out, "no messages to a known rank in these statistics");
	else
		str_add_fmt(out, "statistics have no single messages; %s: the pairs",
			    session_key(panel->session, ACTION_NEXT_PANE).text);
}

/* The last one only where there are devices that copied. */
static unsigned shown(const struct panel *panel)
{
	return trace_copy_count(panel->session->trace) ? PANES : PANE_COPIES;
}

/* Chooses the messages of a pair by a filter (taken); NULL: all. */
static void choose_pair(struct messages_panel *p, struct filter *filter)
{
	if (p->pair_filter)
		table_pane_take(&p->tabs.panes[PANE_MESSAGES], NULL); /* it uses the filter */
	filter_free(p->pair_filter);
	p->pair_filter = filter;
	p->tabs.made[PANE_MESSAGES] = 0;
	p->tabs.note[PANE_MESSAGES] = filter ? p->pair_text : NULL;
}

static void requery(struct panel *panel)
{
	struct messages_panel *p = (struct messages_panel *)panel;

	if (p->generation != panel->session->generation)
		choose_pair(p, NULL);
	p->generation = panel->session->generation;
	table_tabs_requery(panel);
}

static void close_panel(struct panel *panel)
{
	struct messages_panel *p = (struct messages_panel *)panel;

	table_tabs_close(panel);
	heat_map_fini(&p->heat);
	filter_free(p->pair_filter);
}

/* ---- drawing ---- */

/* Columns of the heat map; 0 if the list of pairs leaves no room. */
static int heat_width(const struct messages_panel *p, struct rect body)
{
	if (p->tabs.front != PANE_PAIRS || p->heat.ranks.n == 0 || body.h < 5)
		return 0;
	const int room = body.w - BESIDE < body.w / 2 ? body.w - BESIDE : body.w / 2;
	return room >= 12 ? heat_map_width(&p->heat, room, body.h) : 0;
}

/* Area of the table in front: below the names of the panes, beside the map. */
static struct rect table_area(const struct panel *panel, struct rect area)
{
	struct rect body = { area.x, area.y + 1, area.w, area.h - 1 };
	const int heat = heat_width((const struct messages_panel *)panel, body);
	if (heat) {
		body.x += heat + 3;
		body.w -= heat + 3;
	}
	return body;
}

static void draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct messages_panel *p = (const struct messages_panel *)panel;
	const struct rect body = { area.x + 1, area.y + 1, area.w - 1, area.h - 1 };
	const int heat = heat_width(p, body);
	table_tabs_draw(panel, canvas, area);
	if (heat) {
		const struct row_thing pair = table_pane_thing(&p->tabs.panes[PANE_PAIRS]);
		heat_map_draw(&p->heat, canvas, (struct rect){ body.x, body.y, heat, body.h },
			      (int32_t)pair.id, (int32_t)pair.of);
	}
}

/* ---- acting ---- */

static unsigned enter_pair(struct messages_panel *p, int32_t src, int32_t dst)
{
	struct session *session = p->tabs.panel.session;
	OWNED_STR text = STR_INIT;
	if (session->filter && filter_text(session->filter)[0])
		str_add_fmt(&text, "(%s) && ", filter_text(session->filter));
	str_add_fmt(&text, "src == %d && dst == %d", src, dst);
	struct err err = ERR_INIT;
	struct filter *filter = filter_compile(text.text, session->trace, &err);
	if (!filter) {
		session_notice(session, true, "%s", err.text);
		return REACT_REDRAW;
	}
	choose_pair(p, filter);
	p->src = src;
	p->dst = dst;
	OWNED_STR name = STR_INIT;
	str_add_fmt(&name, "(%d to %d)", src, dst);
	str_clean(p->pair_text, sizeof p->pair_text, name.text, name.n);
	return table_tabs_show(&p->tabs.panel, PANE_MESSAGES, true);
}

static void go_timeline(struct session *session, uint32_t event)
{
	session_go_event(session, event);
	session->asked.goto_view = "timeline";
}

static unsigned enter_message(struct messages_panel *p, uint32_t id)
{
	struct session *session = p->tabs.panel.session;
	const struct message *m = trace_message(session->trace, id);
	if (m->flags & MSG_NO_SEND && m->flags & MSG_NO_RECV)
		return REACT_NONE;
	/* While differences are shown: the message in both time bases. */
	const struct query query = session_query(session);
	if (query.difference && message_arrived(m)) {
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
	struct session *session = p->tabs.panel.session;
	/* The others waited for the last member. */
	const uint32_t last = collective_last(session->trace, session->base,
					      trace_collective(session->trace, id));
	if (last != EVENT_NONE)
		go_timeline(session, last);
	return REACT_REDRAW;
}

static unsigned enter(struct messages_panel *p)
{
	const struct row_thing thing = table_pane_thing(table_tabs_front(&p->tabs.panel));
	switch (thing.kind) {
	case THING_RANKS: return enter_pair(p, (int32_t)thing.id, (int32_t)thing.of);
	case THING_MESSAGE: return enter_message(p, thing.id);
	case THING_COLLECTIVE: return enter_collective(p, thing.id);
	case THING_LOCATION: return table_tabs_show(&p->tabs.panel, PANE_COPIES, false);
	case THING_EVENT: go_timeline(p->tabs.panel.session, thing.id); return REACT_REDRAW;
	default: return REACT_IGNORED;
	}
}

static unsigned back(struct messages_panel *p)
{
	if (!p->pair_filter)
		return REACT_IGNORED;
	choose_pair(p, NULL);
	table_tabs_requery(&p->tabs.panel);
	return table_tabs_show(&p->tabs.panel, PANE_PAIRS, false);
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	struct messages_panel *p = (struct messages_panel *)panel;

	switch (action) {
	case ACTION_ENTER: return enter(p);
	case ACTION_BACK: return back(p);
	default: return table_tabs_act(panel, action, count);
	}
}

/* To the row of the message or the collective, in its tab; also if a pair was chosen that it does
 * not belong to. */
static bool land(struct panel *panel, const struct selection *selection)
{
	struct messages_panel *p = (struct messages_panel *)panel;
	const struct row_thing thing =
		selection_thing(selection, panel->session->trace,
				selection->message != UINT32_MAX ? THING_MESSAGE
								 : THING_COLLECTIVE);

	if (thing.kind == THING_NONE)
		return table_tabs_land(panel, selection);
	if (thing.kind == THING_MESSAGE && p->pair_filter &&
	    table_pane_find(&p->tabs.panes[PANE_MESSAGES], thing) == ROW_NONE)
		choose_pair(p, NULL);
	table_tabs_show(panel, thing.kind == THING_MESSAGE ? PANE_MESSAGES : PANE_COLLECTIVES,
			false);
	return table_tabs_land(panel, selection);
}

static const struct table_tabs_info tabs = {
	.tabs = {
		[PANE_PAIRS] = { "Pairs", "src", "matrix", .counted = true },
		[PANE_MESSAGES] = { "Messages", "src", .counted = true },
		[PANE_COLLECTIVES] = { "Collectives", "op", "collectives", .counted = true },
		[PANE_HISTOGRAMS] = { "Histograms", "src", "histograms" },
		[PANE_COPIES] = { "Copies", "from", "copies", .counted = true },
	},
	.n = PANES,
	.shown = shown,
	.make = make,
	.empty = empty,
	.area = table_area,
};

static void exported_of(const struct panel *panel, struct panel_choice *choice)
{
	const struct messages_panel *p = (const struct messages_panel *)panel;

	if (p->tabs.front == PANE_MESSAGES && p->pair_filter)
		str_add_fmt(&choice->filter, "src == %d && dst == %d", p->src, p->dst);
}

const struct panel_ops messages_panel_ops = {
	.exported_of = exported_of,
	.actions = actions,
	.enter_hint = "follow",
	.size = sizeof(struct messages_panel),
	.close = close_panel,
	.requery = requery,
	.draw = draw,
	.act = act,
	.land = land,
	.tabs = &tabs,
	.chosen = table_panel_chosen,
	TABLE_TABS_SLOTS,
};
