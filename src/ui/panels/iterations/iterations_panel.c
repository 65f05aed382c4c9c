/* Iterations by ranks as a heat map: work, waiting and so on. Enter goes to an iteration in the
 * timeline. */
#include <stdio.h>
#include <stdlib.h>

#include "base/order.h"
#include "ui/panels/iterations/iterations_panel_state.h"
#include "ui/timeline/panel/timeline_arrange.h"

static const enum action actions[] = {
	ACTION_ENTER,      ACTION_NEXT_PANE, ACTION_PREV_PANE, ACTION_HOTTEST,  ACTION_LESS_DEPTH,
	ACTION_MORE_DEPTH, ACTION_ZOOM_IN,   ACTION_ZOOM_OUT,  ACTION_PAN_LEFT, ACTION_PAN_RIGHT,
	ACTION_WHOLE_RUN,  ACTION_GROUP,     ACTION_TOGGLE,    ACTION_HIDE_ROW, ACTION_SHOW_ALL,
	ACTION_LEFT,       ACTION_DOWN,      ACTION_UP,        ACTION_RIGHT,    ACTION_PAGE_DOWN,
	ACTION_PAGE_UP,    ACTION_FIRST,     ACTION_LAST,      ACTION_NONE
};

static struct iterations_panel *state_of(struct panel *panel)
{
	return (struct iterations_panel *)panel;
}

static void close_panel(struct panel *panel)
{
	iterations_forget(state_of(panel));
}

static void requery(struct panel *panel)
{
	iterations_make(state_of(panel));
}

static bool ready(const struct iterations_panel *p)
{
	return p->sums && p->sums->n && p->rows.list.n && p->grid.columns > 0;
}

/* ---- moving ---- */

/* The cell's largest iteration, on its location. */
static void take_cell(struct iterations_panel *p, uint32_t row, int column)
{
	const struct iteration_cell *cell = iteration_cell(&p->grid, row, column);

	p->iteration = cell->there ? cell->iteration : iteration_grid_edge(&p->grid, column);
	p->location = cell->there ? cell->location : p->rows.list.data[p->top + row].location;
}

static unsigned move_columns(struct iterations_panel *p, int64_t by)
{
	int64_t column = iteration_grid_column(&p->grid, p->iteration) + by;

	column = column < 0 ? 0 : column >= p->grid.columns ? p->grid.columns - 1 : column;
	take_cell(p, p->row - p->top, (int)column);
	return REACT_REDRAW;
}

static unsigned move_rows(struct iterations_panel *p, int64_t by)
{
	const int64_t last = (int64_t)p->rows.list.n - 1;
	int64_t row = (int64_t)p->row + by;

	row = row < 0 ? 0 : row > last ? last : row;
	p->row = (uint32_t)row;
	p->location = p->rows.list.data[p->row].location;
	iterations_make_grid(p);
	take_cell(p, p->row - p->top, iteration_grid_column(&p->grid, p->iteration));
	return REACT_REDRAW;
}

static int64_t page_of(const struct iterations_panel *p)
{
	return p->grid.rows > 1 ? p->grid.rows - 1 : 1;
}

/* To the largest value of all rows in the range. */
static unsigned go_hottest(struct iterations_panel *p)
{
	double most = -1;

	for (uint32_t i = 0; i < p->findings.n; i++) {
		const uint32_t l = p->findings.locations[i];
		for (uint32_t k = p->first; k < p->end; k++) {
			double value;
			if (!iterations_value(p, l, k, &value) || value <= most)
				continue;
			most = value;
			p->location = l;
			p->iteration = k;
		}
	}
	p->row = timeline_rows_find(&p->rows, p->location, false, UINT32_MAX);
	iterations_make_grid(p);
	return REACT_REDRAW;
}

/* ---- the range ---- */

static unsigned set_range(struct iterations_panel *p, int64_t first, int64_t n)
{
	const int64_t all = p->sums->n;

	n = n < 1 ? 1 : n > all ? all : n;
	first = first < 0 ? 0 : first + n > all ? all - n : first;
	p->first = (uint32_t)first;
	p->end = (uint32_t)(first + n);
	if (p->iteration < p->first)
		p->iteration = p->first;
	if (p->iteration >= p->end)
		p->iteration = p->end - 1;
	iterations_make_grid(p);
	return REACT_REDRAW;
}

/* The cursor stays in its place of the range. */
static unsigned zoom(struct iterations_panel *p, bool in)
{
	const int64_t n = p->end - p->first, before = p->iteration - p->first;
	const int64_t wanted = in ? (n + 1) / 2 : 2 * n;

	return set_range(p, (int64_t)p->iteration - before * wanted / n, wanted);
}

static unsigned pan(struct iterations_panel *p, int direction)
{
	const int64_t n = p->end - p->first, quarter = n > 4 ? n / 4 : 1;

	return set_range(p, (int64_t)p->first + direction * quarter, n);
}

/* ---- levels ---- */

static unsigned change_level(struct iterations_panel *p, int by)
{
	struct session *s = p->panel.session;
	size_t n, main;
	int64_t level;

	iterations_levels(p->sums->iterations, &n, &main);
	level = (int64_t)p->sums->level + by;
	if (level < 0 || level >= (int64_t)n) {
		session_notice(s, false,
			       by < 0 ? "this is the outermost level"
				      : "this is the innermost level");
		return REACT_REDRAW;
	}
	s->level = (int)level;
	p->first = p->end = 0;
	p->iteration = 0;
	p->looked = false;
	iterations_forget(p);
	iterations_make(p);
	return REACT_REDRAW;
}

/* ---- acting ---- */

/* One window for all ranks: from where the first begins the iteration to where the last ends it. */
static unsigned enter(struct iterations_panel *p)
{
	struct session *s = p->panel.session;
	const struct iteration_sum *here = p->sums->of[p->location];
	int64_t t0, t1;

	if (!here) {
		session_notice(s, false, "this row has no iterations");
		return REACT_REDRAW;
	}
	here += p->iteration;
	t0 = here->begin;
	t1 = here->end;
	for (uint32_t i = 0; i < p->findings.n; i++) {
		const struct iteration_sum *sum =
			&p->sums->of[p->findings.locations[i]][p->iteration];
		t0 = sum->begin < t0 ? sum->begin : t0;
		t1 = sum->end > t1 ? sum->end : t1;
	}
	session_zoom(s, t0, t1);
	session_set_cursor(s, p->location, here->begin, EVENT_NONE);
	session_notice(s, false, "iteration %u of %u, of all ranks; %s goes back", p->iteration + 1,
		       p->sums->n, session_key(s, ACTION_QUIT).text);
	s->asked.goto_view = "timeline";
	return REACT_REDRAW;
}

static unsigned toggle_group(struct iterations_panel *p)
{
	struct session *s = p->panel.session;
	const struct timeline_row *row = &p->rows.list.data[p->row];
	const struct grouping *g = &p->rows.grouping;

	if (row->group == NO_GROUP || row->group >= g->groups.n || g->groups.data[row->group].n < 2)
		return REACT_IGNORED;
	arrangement_toggle_open(&s->arrangement, g->members[g->groups.data[row->group].first]);
	session_rearranged(s);
	return REACT_REQUERY;
}

static unsigned hide(struct iterations_panel *p)
{
	uint32_t n;
	const uint32_t *members = iterations_members(p, p->row, &n);

	session_hide_all(p->panel.session, members, n);
	return REACT_REQUERY;
}

static unsigned show_quantity(struct iterations_panel *p, int by)
{
	p->quantity = (enum iteration_quantity)(((int)p->quantity + ITERATION_QUANTITIES + by) %
						ITERATION_QUANTITIES);
	iterations_make_grid(p);
	return REACT_REDRAW;
}

static unsigned act_on_rows(struct iterations_panel *p, enum action action, int count)
{
	switch (action) {
	case ACTION_DOWN: return move_rows(p, count);
	case ACTION_UP: return move_rows(p, -(int64_t)count);
	case ACTION_PAGE_DOWN: return move_rows(p, count * page_of(p));
	case ACTION_PAGE_UP: return move_rows(p, -count * page_of(p));
	case ACTION_FIRST: return move_rows(p, -(int64_t)p->rows.list.n);
	case ACTION_LAST: return move_rows(p, (int64_t)p->rows.list.n);
	case ACTION_GROUP:
		timeline_regroup(&p->rows, p->shades, p->panel.session);
		return REACT_REQUERY;
	case ACTION_TOGGLE: return toggle_group(p);
	case ACTION_HIDE_ROW: return hide(p);
	case ACTION_SHOW_ALL: session_show_all(p->panel.session); return REACT_REQUERY;
	default: return REACT_IGNORED;
	}
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	struct iterations_panel *p = state_of(panel);

	if (!ready(p))
		return REACT_IGNORED;
	switch (action) {
	case ACTION_LEFT: return move_columns(p, -(int64_t)count);
	case ACTION_RIGHT: return move_columns(p, count);
	case ACTION_NEXT_PANE: return show_quantity(p, 1);
	case ACTION_PREV_PANE: return show_quantity(p, -1);
	case ACTION_LESS_DEPTH: return change_level(p, -1);
	case ACTION_MORE_DEPTH: return change_level(p, 1);
	case ACTION_HOTTEST: return go_hottest(p);
	case ACTION_ZOOM_IN: return zoom(p, true);
	case ACTION_ZOOM_OUT: return zoom(p, false);
	case ACTION_PAN_LEFT: return pan(p, -1);
	case ACTION_PAN_RIGHT: return pan(p, 1);
	case ACTION_WHOLE_RUN: return set_range(p, 0, p->sums->n);
	case ACTION_ENTER: return enter(p);
	default: return act_on_rows(p, action, count);
	}
}

/* ---- the selection ---- */

/* The event that begins the iteration. */
static void chosen(const struct panel *panel, struct selection *selection)
{
	const struct iterations_panel *p = (const struct iterations_panel *)panel;
	const struct session *s = panel->session;
	struct cursor c;

	if (!ready(p) || !p->sums->of[p->location])
		return;
	selection->location = p->location;
	if (cursor_seek(&c, s->trace, s->base, p->location,
			p->sums->of[p->location][p->iteration].begin))
		selection->event = c.id;
}

/* The iteration in which an event is, on its location's row; what has no event, or is in none,
 * leaves the cursor where it is. */
static bool land(struct panel *panel, const struct selection *selection)
{
	struct iterations_panel *p = state_of(panel);
	const struct session *s = panel->session;
	const struct iteration_sum *sums;
	size_t low = 0, high;
	int64_t t;

	if (!ready(p))
		return !p->searching;
	if (selection->event == EVENT_NONE || !p->sums->of[selection->location])
		return true;
	sums = p->sums->of[selection->location];
	t = trace_event_time(s->trace, s->base, selection->event);
	high = p->sums->n;
	BISECT(low, high, i, sums[i].end <= t);
	if (low >= p->sums->n || sums[low].begin > t)
		return true;
	p->location = selection->location;
	p->iteration = (uint32_t)low;
	if (p->iteration < p->first || p->iteration >= p->end)
		set_range(p, (int64_t)p->iteration - (p->end - p->first) / 2, p->end - p->first);
	p->row = timeline_rows_find(&p->rows, p->location, false, UINT32_MAX);
	iterations_make_grid(p);
	return true;
}

static void commands(const struct panel *panel, struct str *out)
{
	const struct iterations_panel *p = (const struct iterations_panel *)panel;

	if (ready(p))
		str_add_fmt(out, "state %d %d %u %u %u %u %u\n", panel->session->level,
			    (int)p->quantity, p->first, p->end, p->location, p->iteration, p->top);
}

static bool restore(struct panel *panel, const char *numbers)
{
	struct iterations_panel *p = state_of(panel);
	int quantity, level;
	uint32_t first, end, location, iteration, top;

	if (!ready(p) ||
	    sscanf(numbers, "%d %d %u %u %u %u %u", &level, &quantity, &first, &end, &location,
		   &iteration, &top) != 7 ||
	    quantity < 0 || quantity >= ITERATION_QUANTITIES ||
	    location >= trace_location_count(panel->session->trace))
		return false;
	panel->session->level = level < 0 ? LEVEL_MAIN : level;
	p->quantity = (enum iteration_quantity)quantity;
	p->first = first;
	p->end = end;
	p->location = location;
	p->iteration = iteration;
	p->top = top;
	p->looked = true;
	p->generation = 0;
	iterations_make(p);
	return true;
}

static void describe(const struct panel *panel, struct str *out)
{
	const struct iterations_panel *p = (const struct iterations_panel *)panel;

	if (ready(p))
		iterations_describe(p, out);
}

static void status(const struct panel *panel, struct str *out)
{
	const struct iterations_panel *p = (const struct iterations_panel *)panel;
	size_t levels, main;

	if (!ready(p))
		return;
	iterations_levels(p->sums->iterations, &levels, &main);
	if (p->end - p->first < p->sums->n)
		str_add_fmt(out, "iterations %u-%u of %u", p->first + 1, p->end, p->sums->n);
	else
		str_add_fmt(out, "iteration %u/%u", p->iteration + 1, p->sums->n);
	if (levels > 1)
		str_add_fmt(out, ", level %zu/%zu", p->sums->level + 1, levels);
}

static unsigned click(struct panel *panel, int x, int y, struct rect area)
{
	struct iterations_panel *p = state_of(panel);
	const struct iterations_layout l = iterations_layout(p, area);
	int row, column;

	if (!ready(p))
		return REACT_NONE;
	row = (y - l.body.y) / l.tall;
	column = (x - l.body.x) / p->grid.width;
	if (y < l.body.y || x < l.body.x || row >= (int)p->grid.rows || column >= p->grid.columns)
		return REACT_NONE;
	p->row = p->top + (uint32_t)row;
	take_cell(p, (uint32_t)row, column);
	return REACT_REDRAW;
}

const struct panel_ops iterations_panel_ops = {
	.actions = actions,
	.enter_hint = "timeline",
	.size = sizeof(struct iterations_panel),
	.close = close_panel,
	.requery = requery,
	.draw = iterations_draw,
	.act = act,
	.chosen = chosen,
	.land = land,
	.commands = commands,
	.restore = restore,
	.describe = describe,
	.status = status,
	.click = click,
};
