/* The graph: program, procedures, loops, calls, communication statements, one level at a time.
 * Enter goes down, at a statement to its source; Backspace up; H down to where most of the time
 * is. */
#include <stdio.h>
#include <string.h>

#include "ui/panels/graph/graph_panel_state.h"
#include "ui/widgets/table_panel.h"
#include "views/facts/graph_time.h"
#include "views/query/view_common.h"

static const enum action actions[] = { ACTION_ENTER,     ACTION_BACK,        ACTION_HOTTEST,
				       ACTION_SORT,      ACTION_BREAK_DOWN,  ACTION_NEXT_PANE,
				       ACTION_PREV_PANE, ACTION_SEARCH_THIS, TABLE_PANE_ACTIONS,
				       ACTION_NONE };

static struct table_pane *front(const struct graph_panel *p)
{
	return (struct table_pane *)(uintptr_t)(p->in_parts ? &p->parts : &p->level);
}

uint32_t graph_panel_chosen(const struct graph_panel *p)
{
	const struct row_thing thing = table_pane_thing(&p->level);

	return thing.kind == THING_STATEMENT ? thing.id : GRAPH_NONE;
}

struct graph_chosen graph_panel_locations(const struct graph_panel *p)
{
	const struct query query = session_query(p->panel.session);

	return (struct graph_chosen){ query.locations, query_location_count(&query) };
}

/* ---- tables ---- */

/* Breaks down the selected node, unless that is done. */
static void make_parts(struct graph_panel *p, bool anew)
{
	const struct graph_page page = graph_panel_page(p, p->area);
	const uint32_t node = graph_panel_chosen(p);
	enum graph_parts_by by;

	if (!anew && node == p->parts_of.node)
		return;
	if (node == GRAPH_NONE) {
		table_pane_take(&p->parts, NULL);
	} else {
		by = p->by_location ? PARTS_BY_LOCATION : graph_parts_own(p->graph, node);
		/* Another one begins at the top, in its own order. */
		if (p->parts_of.node != node || p->parts_by != by)
			table_pane_take(&p->parts, NULL);
		p->parts_by = by;
		table_pane_take(&p->parts,
				graph_parts_new(p->graph, p->panel.session->trace, node, by,
						graph_panel_locations(p), page.parts.w));
	}
	table_pane_choose(&p->parts, &p->panel.session->columns);
	table_pane_say(&p->parts, "nothing recorded");
	p->parts_of = graph_mark_of(p->graph, node);
}

/* Of another level: it is ordered as it pleases, and begins at the top. */
void graph_panel_make_level(struct graph_panel *p)
{
	const struct graph_page page = graph_panel_page(p, p->area);
	const struct graph_step *step = vec_last(&p->way);
	struct table *table =
		graph_parts_new(p->graph, p->panel.session->trace, step->node.node, PARTS_CONTAINED,
				graph_panel_locations(p), page.level.w);
	uint64_t row = ROW_NONE;

	p->level.cursor = ROW_NONE;
	p->level.cursor_y = 0;
	table_pane_take(&p->level, table);
	table_pane_choose(&p->level, &p->panel.session->columns);
	if (step->at.node != GRAPH_NONE)
		row = table_pane_find(&p->level,
				      (struct row_thing){ THING_STATEMENT, step->at.node, 0 });
	table_pane_go(&p->level, row, page.level);
	p->level.close = p->parts.close = page.level.w < 100;
	table_pane_say(
		&p->level,
		step->node.node == GRAPH_PROGRAM
			? "no functions recorded; compile with tvcc or -finstrument-functions"
			: "nothing recorded here");
	make_parts(p, true);
}

static void remember_cursor(struct graph_panel *p)
{
	if (p->way.n && p->graph)
		vec_last(&p->way)->at = graph_mark_of(p->graph, graph_panel_chosen(p));
}

static void forget(struct graph_panel *p)
{
	table_pane_take(&p->level, NULL);
	table_pane_take(&p->parts, NULL);
	graph_free(p->graph);
	p->graph = NULL;
}

static void requery(struct panel *panel)
{
	struct graph_panel *p = (struct graph_panel *)panel;
	struct session *session = panel->session;
	const bool anew = p->generation != session->generation || !p->graph;
	const bool resized = memcmp(&p->area, &panel->area, sizeof p->area) != 0;
	struct err err = ERR_INIT;
	const struct graph *graph;

	if (!anew && !resized)
		return;
	p->area = panel->area;
	remember_cursor(p);
	graph = session_graph(session, &err);
	if (!graph) {
		if (err_is_set(&err))
			session_notice(session, true, "%s", err.text);
		if (err_is_set(&err))
			forget(p);
		return;
	}
	const struct query query = session_query(session);
	p->window = !query_is_whole(&query);
	p->filter = query.filter != NULL;
	/* The tables are of the old graph until they are made again. */
	struct graph *old = p->graph;
	p->graph = graph_share(graph);
	p->whole = graph_time_whole(&query, graph);
	p->generation = session->generation;
	graph_panel_find_way(p);
	graph_panel_make_level(p);
	graph_free(old);
}

/* The way is found again by its nodes. */
static void renew(struct panel *panel)
{
	struct graph_panel *p = (struct graph_panel *)panel;

	remember_cursor(p);
	forget(p);
}

static void open_panel(struct panel *panel)
{
	struct graph_panel *p = (struct graph_panel *)panel;

	p->parts_of.node = GRAPH_NONE;
	p->level.cursor = p->parts.cursor = ROW_NONE;
}

static void close_panel(struct panel *panel)
{
	struct graph_panel *p = (struct graph_panel *)panel;

	forget(p);
	table_pane_fini(&p->level);
	table_pane_fini(&p->parts);
	vec_fini(&p->way);
}

/* ---- keys ---- */

static unsigned show_source(struct graph_panel *p, uint32_t node)
{
	struct session *session = p->panel.session;
	struct source_place place;

	if (!source_of_node(p->graph, node, &place)) {
		session_notice(session, false, "no source line known; compile with tvcc or -g");
		return REACT_REDRAW;
	}
	session_show_source(session, &place);
	return REACT_REDRAW;
}

/* Enter on a caller: show the source line of the call. */
static unsigned enter_part(struct graph_panel *p)
{
	const struct row_thing thing = table_pane_thing(&p->parts);
	const bool calls = thing.kind == THING_STATEMENT && thing.id != GRAPH_NONE;

	return show_source(p, calls ? thing.id : graph_panel_chosen(p));
}

static unsigned enter(struct graph_panel *p)
{
	const uint32_t node = graph_panel_chosen(p);

	if (p->in_parts)
		return enter_part(p);
	if (node == GRAPH_NONE)
		return REACT_IGNORED;
	return graph_panel_down(p, node) ? REACT_REDRAW : show_source(p, node);
}

static unsigned back(struct graph_panel *p)
{
	if (p->in_parts) {
		p->in_parts = false;
		return REACT_REDRAW;
	}
	return graph_panel_up(p) ? REACT_REDRAW : REACT_IGNORED;
}

static unsigned hottest(struct graph_panel *p)
{
	const size_t levels = p->way.n;

	p->in_parts = false;
	graph_panel_hottest(p);
	if (p->way.n == levels)
		session_notice(p->panel.session, false, "nothing below this row");
	return REACT_REDRAW;
}

static unsigned break_down(struct graph_panel *p)
{
	p->by_location = !p->by_location;
	make_parts(p, true);
	return REACT_REDRAW;
}

static unsigned act_front(struct graph_panel *p, enum action action, int count)
{
	const struct graph_page page = graph_panel_page(p, p->panel.area);
	const unsigned reactions =
		table_pane_act(front(p), action, count, p->in_parts ? page.parts : page.level);

	make_parts(p, false);
	return reactions;
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	struct graph_panel *p = (struct graph_panel *)panel;

	if (!p->graph)
		return REACT_IGNORED;
	switch (action) {
	case ACTION_ENTER: return enter(p);
	case ACTION_BACK: return back(p);
	case ACTION_HOTTEST: return hottest(p);
	case ACTION_BREAK_DOWN: return break_down(p);
	case ACTION_NEXT_PANE:
	case ACTION_PREV_PANE: p->in_parts = !p->in_parts; return REACT_REDRAW;
	default: return act_front(p, action, count);
	}
}

static void moved(struct panel *panel)
{
	struct graph_panel *p = (struct graph_panel *)panel;

	if (p->graph)
		make_parts(p, false);
}

static void word(const struct panel *panel, struct str *out)
{
	const struct graph_panel *p = (const struct graph_panel *)panel;

	table_pane_word(front(p), p->in_parts ? "who" : "name", out);
}

static void chosen(const struct panel *panel, struct selection *selection)
{
	const struct graph_panel *p = (const struct graph_panel *)panel;
	const struct query query = session_query(panel->session);
	const struct row_thing part = table_pane_thing(&p->parts);

	if (!p->graph)
		return;
	if (p->in_parts && part.kind == THING_STATEMENT && part.id != GRAPH_NONE)
		selection_of_node(selection, &query, p->graph, part.id);
	else
		selection_of_node(selection, &query, p->graph, graph_panel_chosen(p));
	if (p->in_parts && part.kind == THING_LOCATION)
		selection->location = part.id;
}

/* To the level that has it. */
static bool land(struct panel *panel, const struct selection *selection)
{
	struct graph_panel *p = (struct graph_panel *)panel;
	uint32_t node;

	if (!p->graph)
		return false;
	node = selection_node(selection, panel->session->trace, p->graph);
	if (node != GRAPH_NONE && node != graph_panel_chosen(p))
		graph_panel_go(p, node);
	return true;
}

static void commands(const struct panel *panel, struct str *out)
{
	const struct graph_panel *p = (const struct graph_panel *)panel;

	if (!p->graph)
		return;
	str_add_fmt(out, "state %d %d", p->by_location, p->in_parts);
	for (size_t i = 0; i < p->way.n; i++) {
		const struct graph_step *step = &p->way.data[i];
		const bool last = i + 1 == p->way.n;
		str_add_fmt(out, " %u %u %u", step->node.node, step->via.node,
			    last ? graph_panel_chosen(p) : step->at.node);
	}
	str_add(out, "\n");
}

static bool restore(struct panel *panel, const char *numbers)
{
	struct graph_panel *p = (struct graph_panel *)panel;
	VEC(struct graph_step) way = VEC_INIT;
	uint32_t nodes, node[3];
	int by_location, in_parts, n = 0;
	bool ok = p->graph && sscanf(numbers, "%d %d%n", &by_location, &in_parts, &n) == 2;

	nodes = ok ? graph_node_count(p->graph) : 0;
	for (numbers += n; ok && *numbers; numbers += n) {
		ok = sscanf(numbers, "%u %u %u%n", &node[0], &node[1], &node[2], &n) == 3 &&
		     node[0] < nodes && (node[1] < nodes || node[1] == GRAPH_NONE) &&
		     (node[2] < nodes || node[2] == GRAPH_NONE);
		if (ok)
			vec_push(&way, ((struct graph_step){ graph_mark_of(p->graph, node[0]),
							     graph_mark_of(p->graph, node[1]),
							     graph_mark_of(p->graph, node[2]) }));
	}
	ok = ok && way.n;
	if (ok) {
		p->way.n = 0;
		for (size_t i = 0; i < way.n; i++)
			vec_push(&p->way, way.data[i]);
		p->by_location = by_location;
		p->in_parts = in_parts;
		graph_panel_make_level(p);
	}
	vec_fini(&way);
	return ok;
}

static unsigned click(struct panel *panel, int x, int y, struct rect area)
{
	struct graph_panel *p = (struct graph_panel *)panel;
	const struct graph_page page = graph_panel_page(p, area);
	const struct rect parts = page.parts, level = page.level;
	const bool in_level = y >= level.y && y < level.y + level.h && x < level.x + level.w;
	const bool in_parts = parts.h > 0 && y >= parts.y && x >= parts.x;
	unsigned reactions = REACT_NONE;

	if (!p->graph || (!in_level && !in_parts))
		return REACT_NONE;
	p->in_parts = in_parts && !in_level;
	reactions = table_pane_click(front(p), x, y, p->in_parts ? parts : level);
	make_parts(p, false);
	return reactions | REACT_REDRAW;
}

static struct table_pane *pane_in_front(const struct panel *panel)
{
	return front((const struct graph_panel *)panel);
}

const struct panel_ops graph_panel_ops = {
	.actions = actions,
	.enter_hint = "down",
	.size = sizeof(struct graph_panel),
	.open = open_panel,
	.close = close_panel,
	.requery = requery,
	.renew = renew,
	.draw = graph_panel_draw,
	.act = act,
	.word = word,
	.chosen = chosen,
	.land = land,
	.commands = commands,
	.restore = restore,
	.click = click,
	.pane = pane_in_front,
	.moved = moved,
	TABLE_PANEL_SLOTS,
};
