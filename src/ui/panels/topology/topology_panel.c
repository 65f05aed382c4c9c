/* The topology: severities on the grid that ranks form. Enter goes to the timeline of the rank
 * under the cursor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/panels/topology/topology_page.h"
#include "ui/widgets/matcher.h"
#include "ui/widgets/panel.h"

struct topology_panel {
	struct panel panel;
	struct topology_values values; /* of: NULL, none yet */
	uint64_t generation;
	uint8_t metric;    /* of the session, that the values are of */
	uint32_t callpath; /* the same */
	uint32_t grid;
	struct topology_look look;
	int32_t cursor[GRID_DIMS];
	uint32_t location; /* of the session's cursor, when it was last followed */
};

static const enum action actions[] = { ACTION_ENTER,     ACTION_NEXT_GRID,  ACTION_PLANES,
				       ACTION_CELL_SIZE, ACTION_NEXT_PLANE, ACTION_PREV_PLANE,
				       ACTION_REVERSE,   ACTION_HIDE_ROW,   ACTION_SHOW_ALL,
				       ACTION_LEFT,      ACTION_DOWN,       ACTION_UP,
				       ACTION_RIGHT,     ACTION_FIRST,      ACTION_LAST,
				       ACTION_PAGE_DOWN, ACTION_PAGE_UP,    ACTION_NONE };

static struct topology_page page_of(const struct topology_panel *p)
{
	return (struct topology_page){ &p->values, p->grid, p->look, p->cursor };
}

static bool ready(const struct topology_panel *p)
{
	return p->values.of && p->values.grids && p->values.grids->n;
}

static const struct grid *grid_of(const struct topology_panel *p)
{
	return &p->values.grids->grid[p->grid];
}

/* The cursor goes where a location is on the grid; else it stays, and on another grid begins at its
 * first place. */
static void follow(struct topology_panel *p, uint32_t location)
{
	const struct grid *grid = grid_of(p);
	const int32_t *at = location < grid->n ? grid_at(grid, location) : NULL;
	bool inside = true;

	for (uint32_t d = 0; d < grid->dims; d++)
		inside = inside && p->cursor[d] >= 0 && (uint32_t)p->cursor[d] < grid->size[d];
	if (!at && !inside && grid->places)
		at = grid_at(grid, grid->order[0]);
	if (at)
		memcpy(p->cursor, at, grid->dims * sizeof *at);
	p->location = location;
}

static void requery(struct panel *panel)
{
	struct topology_panel *p = (struct topology_panel *)panel;
	const struct session *s = panel->session;
	const struct query query = session_query(s);
	const bool first = !p->values.of;
	struct topology_values values;
	struct err err = ERR_INIT;

	if (p->values.of && p->generation == s->generation && p->metric == s->metric &&
	    p->callpath == s->callpath) {
		if (p->location != s->cursor.location)
			follow(p, s->cursor.location);
		return;
	}
	if (!topology_values_make(&values, &query, &err)) {
		if (err_is_set(&err))
			session_notice(panel->session, true, "%s", err.text);
		topology_values_fini(&values);
		return;
	}
	topology_values_fini(&p->values);
	p->values = values;
	p->generation = s->generation;
	p->metric = s->metric;
	p->callpath = s->callpath;
	if (!ready(p))
		return;
	if (p->grid >= p->values.grids->n)
		p->grid = 0;
	if (first || p->location != s->cursor.location)
		follow(p, s->cursor.location);
}

static void close_panel(struct panel *panel)
{
	topology_values_fini(&((struct topology_panel *)panel)->values);
}

static void draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct topology_panel *p = (const struct topology_panel *)panel;
	const struct topology_page page = page_of(p);

	if (ready(p))
		topology_page_draw(&page, canvas, area);
	else
		canvas_write(canvas, area.x + 1, area.y, area.w - 2, "Searching for wait states",
			     ROLE_MUTED);
}

/* ---- acting ---- */

/* Location under the cursor; UINT32_MAX: none. */
static uint32_t location_here(const struct topology_panel *p)
{
	return grid_location(grid_of(p), p->cursor);
}

static unsigned move(struct topology_panel *p, int64_t right, int64_t down, int64_t planes)
{
	const struct topology_page page = page_of(p);
	const struct topology_layout layout = topology_page_layout(&page, p->panel.area);

	topology_move(&layout, p->cursor, right, down, planes);
	return REACT_REDRAW;
}

static unsigned move_end(struct topology_panel *p, bool last)
{
	const struct topology_page page = page_of(p);
	const struct topology_layout layout = topology_page_layout(&page, p->panel.area);

	topology_move_end(&layout, p->cursor, last);
	return REACT_REDRAW;
}

static unsigned enter(struct topology_panel *p)
{
	struct session *s = p->panel.session;
	const uint32_t location = location_here(p);

	if (location == UINT32_MAX) {
		session_notice(s, false, "no rank at this place");
		return REACT_REDRAW;
	}
	session_set_cursor(s, location, s->cursor.time, EVENT_NONE);
	s->asked.goto_view = "timeline";
	return REACT_REDRAW;
}

/* All that stand at the place. */
static unsigned hide(struct topology_panel *p)
{
	const uint32_t *found;
	const uint32_t n = grid_locations(grid_of(p), p->cursor, &found);

	session_hide_all(p->panel.session, found, n);
	return REACT_REQUERY;
}

static unsigned next_grid(struct topology_panel *p, int count)
{
	struct session *s = p->panel.session;
	const uint32_t location = location_here(p), n = p->values.grids->n;

	p->grid = (p->grid + (uint32_t)(count > 0 ? count : 1)) % n;
	p->look.turn = 0;
	follow(p, location == UINT32_MAX ? p->location : location);
	p->location = s->cursor.location;
	if (n == 1)
		session_notice(s, false, "no other grid: %s", p->values.grids->no_guess);
	return REACT_REDRAW;
}

static unsigned act_look(struct topology_panel *p, enum action action, int count)
{
	switch (action) {
	case ACTION_NEXT_GRID: return next_grid(p, count);
	case ACTION_PLANES: p->look.turn++; break;
	case ACTION_REVERSE: p->look.reversed = !p->look.reversed; break;
	case ACTION_CELL_SIZE: p->look.size = (p->look.size + 1) % TOPOLOGY_SIZES; break;
	case ACTION_HIDE_ROW: return hide(p);
	case ACTION_SHOW_ALL: session_show_all(p->panel.session); return REACT_REQUERY;
	default: return REACT_IGNORED;
	}
	return REACT_REDRAW;
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	struct topology_panel *p = (struct topology_panel *)panel;

	if (!ready(p))
		return REACT_IGNORED;
	switch (action) {
	case ACTION_LEFT: return move(p, -count, 0, 0);
	case ACTION_RIGHT: return move(p, count, 0, 0);
	case ACTION_UP: return move(p, 0, -count, 0);
	case ACTION_DOWN: return move(p, 0, count, 0);
	case ACTION_PAGE_UP:
	case ACTION_PREV_PLANE: return move(p, 0, 0, -count);
	case ACTION_PAGE_DOWN:
	case ACTION_NEXT_PLANE: return move(p, 0, 0, count);
	case ACTION_FIRST: return move_end(p, false);
	case ACTION_LAST: return move_end(p, true);
	case ACTION_ENTER: return enter(p);
	default: return act_look(p, action, count);
	}
}

/* The next location on the grid whose name matches, in the order of locations. */
static bool search(struct panel *panel, const char *pattern, int direction, struct err *err)
{
	struct topology_panel *p = (struct topology_panel *)panel;
	struct matcher *matcher;
	uint32_t from, n = p->values.n;
	bool ok = false;

	if (!*pattern || !ready(p))
		return true;
	matcher = matcher_new(pattern, err);
	if (!matcher)
		return false;
	from = location_here(p) == UINT32_MAX ? 0 : location_here(p);
	for (uint32_t i = direction != 0; !ok && i < n + (direction != 0); i++) {
		const uint32_t l = direction < 0 ? (from + n - i % n) % n : (from + i) % n;
		const char *name =
			trace_string(p->values.trace, trace_location(p->values.trace, l)->name);
		const int32_t *at = grid_at(grid_of(p), l);
		if (!at || !matcher_hits(matcher, name, strlen(name)))
			continue;
		memcpy(p->cursor, at, grid_of(p)->dims * sizeof *at);
		ok = true;
	}
	matcher_free(matcher);
	return ok || err_set(err, STATUS_NO, "no location on the grid matches '%s'", pattern);
}

static void describe(const struct panel *panel, struct str *out)
{
	const struct topology_panel *p = (const struct topology_panel *)panel;
	const struct topology_page page = page_of(p);

	if (ready(p))
		topology_page_cell(&page, out);
}

static void status(const struct panel *panel, struct str *out)
{
	const struct topology_panel *p = (const struct topology_panel *)panel;

	if (ready(p) && p->values.grids->n > 1)
		str_add_fmt(out, "grid %u/%u", p->grid + 1, p->values.grids->n);
}

static void chosen(const struct panel *panel, struct selection *selection)
{
	const struct topology_panel *p = (const struct topology_panel *)panel;

	if (ready(p))
		selection->location = location_here(p);
}

static bool land(struct panel *panel, const struct selection *selection)
{
	struct topology_panel *p = (struct topology_panel *)panel;

	if (!ready(p))
		return false;
	if (selection->location != UINT32_MAX && selection->location != location_here(p)) {
		follow(p, selection->location);
		p->location = panel->session->cursor.location;
	}
	return true;
}

static void commands(const struct panel *panel, struct str *out)
{
	const struct topology_panel *p = (const struct topology_panel *)panel;

	if (!ready(p))
		return;
	str_add_fmt(out, "state %u %u %d %u", p->grid, p->look.turn, p->look.reversed,
		    (unsigned)p->look.size);
	for (uint32_t d = 0; d < grid_of(p)->dims; d++)
		str_add_fmt(out, " %d", p->cursor[d]);
	str_add(out, "\n");
}

static bool restore(struct panel *panel, const char *numbers)
{
	struct topology_panel *p = (struct topology_panel *)panel;
	unsigned grid, turn, size;
	int reversed, n = 0;

	if (!ready(p) ||
	    sscanf(numbers, "%u %u %d %u%n", &grid, &turn, &reversed, &size, &n) != 4 ||
	    grid >= p->values.grids->n || size >= TOPOLOGY_SIZES)
		return false;
	p->grid = grid;
	p->look.turn = turn;
	p->look.reversed = reversed;
	p->look.size = size;
	for (uint32_t d = 0; d < grid_of(p)->dims; d++) {
		int at, more = 0;
		numbers += n;
		if (sscanf(numbers, "%d%n", &at, &more) != 1 || at < 0 ||
		    (uint32_t)at >= grid_of(p)->size[d])
			return false;
		p->cursor[d] = at;
		n = more;
	}
	p->location = panel->session->cursor.location;
	return true;
}

static unsigned click(struct panel *panel, int x, int y, struct rect area)
{
	struct topology_panel *p = (struct topology_panel *)panel;
	const struct topology_page page = page_of(p);
	struct topology_layout layout;
	int32_t coords[GRID_DIMS];

	if (!ready(p))
		return REACT_NONE;
	layout = topology_page_layout(&page, area);
	if (topology_hit(&layout, x, y, coords))
		memcpy(p->cursor, coords, sizeof coords);
	return REACT_REDRAW;
}

const struct panel_ops topology_panel_ops = {
	.actions = actions,
	.enter_hint = "timeline",
	.size = sizeof(struct topology_panel),
	.close = close_panel,
	.requery = requery,
	.draw = draw,
	.act = act,
	.search = search,
	.chosen = chosen,
	.land = land,
	.commands = commands,
	.restore = restore,
	.describe = describe,
	.status = status,
	.click = click,
};
