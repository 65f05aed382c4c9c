/* The view of sources: a file of the program with what each of its lines cost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/panels/source/source_panel_state.h"

enum { SIDEWAYS = 8, SEARCHED_LINES = 256 };

static const enum action actions[] = { ACTION_EDIT,  ACTION_NEXT_WAIT, ACTION_PREV_WAIT,
				       ACTION_ENTER, ACTION_BACK,      ACTION_DOWN,
				       ACTION_UP,    ACTION_PAGE_DOWN, ACTION_PAGE_UP,
				       ACTION_FIRST, ACTION_LAST,      ACTION_LEFT,
				       ACTION_RIGHT, ACTION_NONE };

static struct source_panel *self(struct panel *panel)
{
	return (struct source_panel *)panel;
}

static void requery(struct panel *panel)
{
	source_panel_follow(self(panel));
}

static void close_panel(struct panel *panel)
{
	source_panel_drop(self(panel));
}

/* ---- moving ---- */

static void keep_in_sight(struct source_panel *p)
{
	const uint32_t body = (uint32_t)source_panel_body(p, p->panel.area);

	if (p->row < p->top)
		p->top = p->row;
	if (p->row >= p->top + body)
		p->top = p->row - body + 1;
}

static unsigned move(struct source_panel *p, int64_t by)
{
	const int64_t last = (int64_t)source_panel_rows(p) - 1;
	const int64_t at = (int64_t)p->row + by;

	p->row = (uint32_t)(at < 0 || last < 0 ? 0 : at > last ? last : at);
	keep_in_sight(p);
	source_panel_describe(p);
	return REACT_REDRAW;
}

static unsigned sideways(struct source_panel *p, int by)
{
	const int to = p->shift + by * SIDEWAYS;

	p->shift = to < 0 ? 0 : to > SOURCE_COLUMNS - SIDEWAYS ? SOURCE_COLUMNS - SIDEWAYS : to;
	return REACT_REDRAW;
}

/* The next hot line in the order of the file, round its ends. */
static unsigned go_hot(struct source_panel *p, int direction)
{
	const struct source_costs *costs = &p->costs;
	const size_t n = costs->marks.n;
	const uint32_t line = source_panel_line(p, p->row);
	size_t at = source_costs_from(costs, line + (direction > 0));

	for (size_t i = 0; i < n; i++) {
		at = direction > 0 ? (at < n ? at : 0) : (at > 0 ? at : n) - 1;
		if (costs->marks.data[at].hot) {
			p->row = source_panel_row_of(p, costs->marks.data[at].line);
			return move(p, 0);
		}
		at += direction > 0;
	}
	session_notice(p->panel.session, false, "no cost known for any line of this file");
	return REACT_REDRAW;
}

/* ---- to what is called, and back ---- */

/* The procedure that a call leads to; through a pointer the one that cost most. */
static uint32_t callee_of(const struct graph *graph, uint32_t call)
{
	OWNED struct graph_part *parts = NULL;
	uint32_t callee = graph_node(graph, call)->callee;

	if (callee == GRAPH_NONE && graph_callees(graph, call, UINT32_MAX, &parts) > 0)
		callee = parts[0].node;
	return callee;
}

/* The procedure that is called here; of several the one that cost most. */
static uint32_t called_here(const struct source_panel *p, const struct graph *graph)
{
	const struct source_mark *mark = source_costs_at(&p->costs, source_panel_line(p, p->row));
	uint32_t best = GRAPH_NONE;
	int64_t most = -1;

	for (uint32_t i = 0; mark && i < mark->n; i++) {
		const uint32_t id = p->costs.nodes.data[mark->first + i];
		const struct graph_node *node = graph_node(graph, id);
		struct graph_values values;
		if (node->kind != GRAPH_KIND_CALL || callee_of(graph, id) == GRAPH_NONE)
			continue;
		graph_values(graph, id, &values);
		if (values.time > most) {
			most = values.time;
			best = callee_of(graph, id);
		}
	}
	return best;
}

static unsigned enter(struct source_panel *p)
{
	const struct graph *graph = p->graph;
	const uint32_t procedure = graph ? called_here(p, graph) : GRAPH_NONE;
	struct source_place place;

	if (procedure == GRAPH_NONE) {
		session_notice(p->panel.session, false, "no recorded call on this line");
	} else if (!source_of_node(graph, procedure, &place)) {
		session_notice(p->panel.session, false,
			       "no source line known for the function called here");
	} else {
		vec_push(&p->befores, ((struct source_before){ p->place, p->row, p->top }));
		source_panel_go(p, &place);
	}
	return REACT_REDRAW;
}

static unsigned back(struct source_panel *p)
{
	struct source_before before;

	if (!p->befores.n)
		return REACT_IGNORED;
	before = vec_pop(&p->befores);
	source_panel_go(p, &before.place);
	p->row = before.row;
	p->top = before.top;
	return move(p, 0);
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	struct source_panel *p = self(panel);
	const int page = source_panel_body(p, panel->area);

	switch (action) {
	case ACTION_DOWN: return move(p, count);
	case ACTION_UP: return move(p, -(int64_t)count);
	case ACTION_PAGE_DOWN: return move(p, page > 2 ? page - 1 : 1);
	case ACTION_PAGE_UP: return move(p, page > 2 ? 1 - page : -1);
	case ACTION_FIRST: return move(p, INT32_MIN);
	case ACTION_LAST: return move(p, INT32_MAX);
	case ACTION_LEFT: return sideways(p, -count);
	case ACTION_RIGHT: return sideways(p, count);
	case ACTION_NEXT_WAIT: return go_hot(p, 1);
	case ACTION_PREV_WAIT: return go_hot(p, -1);
	case ACTION_ENTER: return enter(p);
	case ACTION_BACK: return back(p);
	default: return REACT_IGNORED;
	}
}

static unsigned click(struct panel *panel, int x, int y, struct rect area)
{
	struct source_panel *p = self(panel);
	const uint32_t row = source_panel_row_at(p, y, area);

	(void)x;
	if (row == UINT32_MAX)
		return REACT_NONE;
	p->row = row;
	return move(p, 0);
}

/* ---- search ---- */

static bool hits(const struct source_panel *p, uint32_t row, struct str *text)
{
	source_panel_text(p, row, text);
	return matcher_hits(p->matcher, text->text, text->n);
}

/* Round the file from a row; a key stops it. */
static bool seek(struct source_panel *p, uint32_t from, int direction)
{
	const uint32_t n = source_panel_rows(p);
	const uint32_t step = direction < 0 ? n - 1 : 1;
	OWNED_STR text = STR_INIT;
	uint32_t row = n ? (direction ? (from + step) % n : from) : 0;
	bool found = false;

	for (uint32_t i = 0; i < n && !found; i++) {
		found = hits(p, row, &text);
		if (found)
			p->row = row;
		if (i % SEARCHED_LINES == 0 && session_stopped(p->panel.session))
			break;
		row = (uint32_t)(((uint64_t)row + step) % n);
	}
	move(p, 0);
	return found;
}

static bool search(struct panel *panel, const char *pattern, int direction, struct err *err)
{
	struct source_panel *p = self(panel);

	if (!p->matcher)
		p->origin = p->row;
	if (!matcher_change(&p->matcher, pattern, err))
		return false;
	if (!p->matcher) {
		if (direction == 0)
			p->row = p->origin;
		move(p, 0);
		return true;
	}
	return seek(p, direction == 0 ? p->origin : p->row, direction) ||
	       err_set(err, STATUS_NO, "no line matches '%s'", pattern);
}

/* ---- what is here ---- */

static void chosen(const struct panel *panel, struct selection *selection)
{
	const struct source_panel *p = (const struct source_panel *)panel;
	const struct query query = session_query(panel->session);
	const uint32_t line = source_panel_line(p, p->row);
	const struct source_mark *mark = source_costs_at(&p->costs, line);

	if (p->graph && mark)
		selection_of_node(selection, &query, p->graph, p->costs.nodes.data[mark->first]);
	selection->place =
		(struct source_place){ p->place.file, line,
				       p->graph && mark ? p->costs.nodes.data[mark->first]
							: GRAPH_NONE };
}

static void describe(const struct panel *panel, struct str *out)
{
	const struct source_panel *p = (const struct source_panel *)panel;
	const char *file = trace_string(panel->session->trace, p->place.file);

	if (!p->place.file)
		return;
	str_add_clean_text(out, file);
	str_add_fmt(out, ":%u", source_panel_line(p, p->row));
}

/* The procedure that is called, or what else the graph calls the line. */
static void word(const struct panel *panel, struct str *out)
{
	const struct source_panel *p = (const struct source_panel *)panel;
	const struct graph *graph = p->graph;
	const struct source_mark *mark = source_costs_at(&p->costs, source_panel_line(p, p->row));
	const char *name;

	if (!graph || !mark)
		return;
	name = trace_string(panel->session->trace,
			    graph_node(graph, p->costs.nodes.data[mark->first + mark->n - 1])
				    ->name);
	str_add_clean_text(out, name);
}

static void status(const struct panel *panel, struct str *out)
{
	const struct source_panel *p = (const struct source_panel *)panel;
	const uint32_t rows = source_panel_rows(p);

	if (!rows)
		return;
	str_add_fmt(out, "line %u", source_panel_line(p, p->row));
	if (p->text.bytes)
		str_add_fmt(out, "/%u%s", rows, p->text.cut ? "+" : "");
}

static void commands(const struct panel *panel, struct str *out)
{
	const struct source_panel *p = (const struct source_panel *)panel;

	if (p->place.file)
		str_add_fmt(out, "state %u %u %u %u %u %d\n", p->place.file, p->place.line,
			    p->place.node, p->row, p->top, p->shift);
}

static bool restore(struct panel *panel, const char *numbers)
{
	struct source_panel *p = self(panel);
	struct source_place place;
	uint32_t row, top;
	int shift;

	if (sscanf(numbers, "%u %u %u %u %u %d", &place.file, &place.line, &place.node, &row, &top,
		   &shift) != 6 ||
	    place.file >= trace_string_count(panel->session->trace) || shift < 0)
		return false;
	source_panel_go(p, &place);
	p->row = row < source_panel_rows(p) ? row : 0;
	p->top = top;
	p->shift = shift;
	move(p, 0);
	return true;
}

static const char *exported(const struct panel *panel)
{
	(void)panel;
	return "lines";
}

const struct panel_ops source_panel_ops = {
	.actions = actions,
	.wait_hint = "hot line",
	.enter_hint = "called",
	.size = sizeof(struct source_panel),
	.close = close_panel,
	.requery = requery,
	.draw = source_panel_draw,
	.act = act,
	.search = search,
	.describe = describe,
	.word = word,
	.chosen = chosen,
	.commands = commands,
	.restore = restore,
	.status = status,
	.click = click,
	.exported = exported,
};
