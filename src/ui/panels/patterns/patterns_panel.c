/* Wait states and all other severities in three linked trees: the metric chosen in the first gives
 * the values of the call paths in the second, the call path chosen there those of the locations in
 * the third. A closed row includes all rows below it, an open row only itself, and the
 * selection is what its row shows. Metric and call path are the session's: other views
 * follow. */
#include "base/mem.h"
#include "ui/panels/patterns/patterns_panel_state.h"

#include <stdio.h>
#include <string.h>

#include "views/query/analyses.h"
#include "views/tables/view_waits.h"

static const enum action actions[] = { ACTION_ENTER,     ACTION_BACK,        ACTION_EXPLAIN,
				       ACTION_NEXT_PANE, ACTION_TOGGLE,      ACTION_HOTTEST,
				       ACTION_VALUES,    ACTION_SORT,        ACTION_OPEN_ALL,
				       ACTION_PREV_PANE, ACTION_SEARCH_THIS, TABLE_PANE_ACTIONS,
				       ACTION_NONE };

static struct tree_pane *front(const struct patterns_panel *p)
{
	return (struct tree_pane *)(uintptr_t)&p->trees[p->front];
}

/* ---- computing ---- */

static void open_panel(struct panel *panel)
{
	patterns_build((struct patterns_panel *)panel);
}

static void close_panel(struct panel *panel)
{
	struct patterns_panel *p = (struct patterns_panel *)panel;

	for (int i = 0; i < PANES; i++)
		tree_pane_fini(&p->trees[i]);
	table_pane_fini(&p->waits);
	topology_values_fini(&p->grid_values);
	for (int s = 0; s < CUBE_SETS; s++)
		severities_fini(&p->severities[s]);
	vec_fini(&p->places);
	free_all(p->path_items, p->location_items, p->by_path, p->by_part, p->by_location);
}

/* Whether all there is to know of a base is known, or will never be; begins it. */
static bool is_ready(struct session *session, enum time_base base)
{
	const struct analyses_state state = analyses_state(session->analyses);

	return analyses_causes(session->analyses, base) ||
	       (analyses_peek(session->analyses, base) && !(state.busy && state.base == base));
}

/* Whether no analysis is needed. */
static bool cube_is_kept_of(const struct session *session)
{
	const struct query query = session_query(session);

	return analyses_cube_is_kept(session->analyses, session->base, query.t0, query.t1);
}

/* Bounds of the measurement overhead, where the base has them: they come when they are known, and
 * the range is shown then. */
static void take_bounds(struct patterns_panel *p, const struct query *query,
			const struct cube **cubes)
{
	static const enum time_base bounds[] = { BASE_LOWER, BASE_UPPER };
	struct session *session = p->panel.session;
	struct err err = ERR_INIT;
	bool anew;

	for (int i = 0; i < 2; i++)
		if (session->base != BASE_COMPENSATED ||
		    !trace_has_base(session->trace, bounds[i]) ||
		    !trace_base_make(session->trace, bounds[i], session->progress, &err) ||
		    !is_ready(session, bounds[i]))
			return;
	for (int i = 0; i < 2; i++) {
		cubes[1 + i] = severities_get(&p->severities[1 + i], query, bounds[i],
					      session->rows_generation, &anew, &err);
		if (!cubes[1 + i])
			return;
		p->trees_changed |= anew;
	}
	p->sets = CUBE_SETS;
}

/* The cubes that are shown; false where there are none (yet). */
static bool take_cubes(struct patterns_panel *p, const struct cube **cubes)
{
	struct session *session = p->panel.session;
	const struct query query = session_query(session);
	struct err err = ERR_INIT;
	bool anew;

	p->sets = 1;
	cubes[0] = severities_get(&p->severities[0], &query, session->base,
				  session->rows_generation, &anew, &err);
	p->trees_changed |= anew;
	if (cubes[0]) {
		take_bounds(p, &query, cubes);
		return !session_stopped(session);
	}
	if (!session_stopped(session)) {
		p->ready = false;
		str_clean(p->problem, sizeof p->problem, err.text, strlen(err.text));
		p->generation = session->generation;
	}
	return false;
}

/* What the other trace has, where values are per cent of it. False where a key goes first. */
static bool take_other(struct patterns_panel *p)
{
	struct session *session = p->panel.session;
	const struct query query = session_query(session);
	struct err err = ERR_INIT;

	p->delta = NULL;
	if (p->mode != VALUES_OTHER || !session->other)
		return true;
	p->delta = other_delta(session->other, &query, &err);
	if (!p->delta && session_stopped(session))
		return false;
	if (!p->delta)
		session_notice(session, true, "%s", err.text);
	return true;
}

static void requery(struct panel *panel)
{
	struct patterns_panel *p = (struct patterns_panel *)panel;
	struct session *session = panel->session;
	const struct query query = session_query(session);
	const struct cube *cubes[CUBE_SETS];

	if (p->generation == session->generation)
		return;
	p->waiting = !cube_is_kept_of(session) && !is_ready(session, session->base) &&
		     analyses_state(session->analyses).busy;
	if (p->waiting || !take_cubes(p, cubes))
		return;
	if (!take_other(p))
		return;
	p->whole = query_time(&query);
	patterns_fill(p, cubes, p->trees_changed);
	patterns_choose(p, cubes);
	patterns_fill(p, cubes, false);
	patterns_fill_grid(p);
	p->trees_changed = false;
	p->delta = NULL;
	p->ready = true;
	p->problem[0] = '\0';
	if (session->metric == CUBE_NONE || session->callpath == UINT32_MAX) {
		/* What other views show is what is chosen here. */
		session->metric = (uint8_t)patterns_metric(p);
		session->callpath = patterns_path(p);
		session->generation++;
	}
	p->generation = session->generation;
	if (p->down)
		patterns_query_waits(p);
}

/* ---- acting ---- */

struct trail {
	enum cube_metric metric;
	uint32_t path;
	bool metric_open, path_open;
};

static struct trail trail_of(const struct patterns_panel *p)
{
	const struct tree_item *metric = tree_pane_item(&p->trees[PANE_METRICS]);
	const struct tree_item *path = tree_pane_item(&p->trees[PANE_PATHS]);

	return (struct trail){ patterns_metric(p), patterns_path(p), metric && metric->open,
			       path && path->open };
}

/* The selection belongs to the session; what depends on it is computed again. */
static unsigned follow(struct patterns_panel *p, struct trail before, unsigned reactions)
{
	const struct trail now = trail_of(p);

	if (now.metric == before.metric && now.path == before.path &&
	    now.metric_open == before.metric_open && now.path_open == before.path_open)
		return reactions;
	p->panel.session->metric = (uint8_t)now.metric;
	p->panel.session->callpath = now.path;
	return reactions | REACT_REQUERY;
}

/* To an item that is shown. */
static void go_to(struct tree_pane *tree, uint32_t item)
{
	if (item != TREE_NONE && !tree->items.data[item].gone)
		tree_pane_go(tree, item);
}

static unsigned next_mode(struct patterns_panel *p)
{
	const enum value_mode last = p->panel.session->other ? VALUES_OTHER : VALUES_SELECTED;

	p->mode = p->mode >= last ? VALUES_OWN : (enum value_mode)(p->mode + 1);
	session_notice(p->panel.session, false, "values: %s", patterns_mode_name(p));
	p->generation = 0; /* widths, and what the other trace has */
	p->trees_changed = true;
	return REACT_REQUERY;
}

static unsigned turn(struct patterns_panel *p, int by)
{
	p->front = (enum pane)(((int)p->front + by) % PANES);
	return REACT_REDRAW;
}

static unsigned act_waits(struct patterns_panel *p, enum action action, int count)
{
	switch (action) {
	case ACTION_BACK: p->down = false; return REACT_REDRAW;
	case ACTION_ENTER: return patterns_enter_timeline(p);
	case ACTION_EXPLAIN: return patterns_explain(p);
	default:
		return table_pane_act(&p->waits, action, count, patterns_waits_area(p->panel.area));
	}
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	struct patterns_panel *p = (struct patterns_panel *)panel;
	const struct trail before = trail_of(p);
	unsigned reactions;

	if (p->down)
		return act_waits(p, action, count);
	switch (action) {
	case ACTION_BACK: return REACT_IGNORED;
	case ACTION_NEXT_PANE: return turn(p, 1);
	case ACTION_PREV_PANE: return turn(p, PANES - 1);
	case ACTION_VALUES: return next_mode(p);
	default: break;
	}
	if (!p->ready)
		return REACT_IGNORED;
	if (action == ACTION_ENTER)
		return patterns_enter_waits(p);
	if (action == ACTION_EXPLAIN)
		return patterns_explain(p);
	reactions = tree_pane_act(front(p), action, count, patterns_area(p, panel->area, p->front));
	return reactions & REACT_IGNORED ? reactions : follow(p, before, reactions);
}

static unsigned click(struct panel *panel, int x, int y, struct rect area)
{
	struct patterns_panel *p = (struct patterns_panel *)panel;
	const struct trail before = trail_of(p);

	if (p->down)
		return table_pane_click(&p->waits, x, y, patterns_waits_area(area));
	if (p->ready && patterns_click_grid(p, x, y, patterns_pane(p, area, PANE_PLACES))) {
		p->front = PANE_PLACES;
		return REACT_REDRAW;
	}
	for (int i = 0; i < PANES && p->ready; i++) {
		const struct rect r = patterns_area(p, area, (enum pane)i);
		if (x < r.x || x >= r.x + r.w || y < r.y - 1 || y >= r.y + r.h)
			continue;
		p->front = (enum pane)i;
		return follow(p, before, REACT_REDRAW | tree_pane_click(&p->trees[i], x, y, r));
	}
	return REACT_NONE;
}

static bool search(struct panel *panel, const char *pattern, int direction, struct err *err)
{
	struct patterns_panel *p = (struct patterns_panel *)panel;
	const struct trail before = trail_of(p);
	bool found;

	if (p->down)
		return table_pane_search(&p->waits, pattern, direction, err);
	found = tree_pane_search(front(p), pattern, direction, err);

	if (follow(p, before, REACT_NONE) & REACT_REQUERY)
		panel->session->generation++;
	return found;
}

static void describe(const struct panel *panel, struct str *out)
{
	const struct patterns_panel *p = (const struct patterns_panel *)panel;
	const struct tree_item *item = tree_pane_item(front(p));

	if (p->down)
		table_pane_describe(&p->waits, out);
	if (p->down || !item || !p->ready)
		return;
	front(p)->ops->title(p, item, out);
	str_add(out, "  ");
	front(p)->ops->value(p, item, tree_pane_shown(item), out);
}

/* What Enter lists the waits of: those of the metric, in the call path, on the location, as far as
 * the tree that has the keys; or the instance. */
static void chosen(const struct panel *panel, struct selection *selection)
{
	const struct patterns_panel *p = (const struct patterns_panel *)panel;
	const struct query query = session_query(panel->session);
	const struct tree_item *place = tree_pane_item(&p->trees[PANE_PLACES]);

	if (p->down) {
		selection_of_thing(selection, &query, table_pane_thing(&p->waits));
		return;
	}
	if (!p->ready)
		return;
	selection->metric = (uint8_t)patterns_metric(p);
	if (p->front != PANE_METRICS)
		selection->path = patterns_path(p);
	if (p->front == PANE_PLACES && place && p->places.data[place->id].kind == PLACE_LOCATION)
		selection->location = p->places.data[place->id].id;
}

/* The rows of metric, call path and location; from the instances that they are not among, back to
 * the trees. */
static bool land(struct panel *panel, const struct selection *selection)
{
	struct patterns_panel *p = (struct patterns_panel *)panel;
	const struct trail before = trail_of(p);

	if (!p->ready)
		return false;
	if (p->down) {
		if (table_pane_land(&p->waits, selection, panel->session->trace,
				    patterns_waits_area(panel->area)))
			return true;
		p->down = false;
	}
	if (selection->metric != CUBE_NONE)
		go_to(&p->trees[PANE_METRICS], selection->metric);
	if (selection->path != UINT32_MAX)
		go_to(&p->trees[PANE_PATHS], p->path_items[selection->path]);
	if (selection->location != UINT32_MAX)
		go_to(&p->trees[PANE_PLACES], p->location_items[selection->location]);
	if (follow(p, before, REACT_NONE) & REACT_REQUERY)
		panel->session->generation++;
	return true;
}

/* ---- where it has been ---- */

static void commands(const struct panel *panel, struct str *out)
{
	const struct patterns_panel *p = (const struct patterns_panel *)panel;

	if (!p->ready)
		return;
	str_add_fmt(out, "state %d %d %d", (int)p->front, (int)p->mode, p->down);
	for (int i = 0; i < PANES; i++)
		tree_pane_add_place(&p->trees[i], out);
	str_add(out, "\n");
}

static bool restore(struct panel *panel, const char *numbers)
{
	struct patterns_panel *p = (struct patterns_panel *)panel;
	int front, mode, down, n = 0;

	if (!p->ready || sscanf(numbers, "%d %d %d%n", &front, &mode, &down, &n) != 3 || !n ||
	    front < 0 || front >= PANES || mode < 0 || mode >= VALUE_MODES ||
	    (mode == VALUES_OTHER && !panel->session->other))
		return false;
	numbers += n;
	for (int i = 0; i < PANES && numbers; i++)
		numbers = tree_pane_take_place(&p->trees[i], numbers);
	p->front = (enum pane)front;
	p->mode = (enum value_mode)mode;
	p->trees_changed = true;
	p->generation = 0;
	panel->session->metric = (uint8_t)patterns_metric(p);
	panel->session->callpath = patterns_path(p);
	requery(panel);
	if (down)
		patterns_enter_waits(p);
	return numbers != NULL;
}

static struct table_pane *pane(const struct panel *panel)
{
	const struct patterns_panel *p = (const struct patterns_panel *)panel;

	return p->down ? (struct table_pane *)(uintptr_t)&p->waits : NULL;
}

static void word(const struct panel *panel, struct str *out)
{
	const struct patterns_panel *p = (const struct patterns_panel *)panel;
	const struct tree_item *item = tree_pane_item(front(p));

	if (p->down)
		table_pane_word(&p->waits, "region", out);
	else if (item)
		front(p)->ops->title(p, item, out);
}

static bool work(struct panel *panel, unsigned *reactions)
{
	struct patterns_panel *p = (struct patterns_panel *)panel;

	return p->down && table_pane_work(&p->waits, panel->session, reactions);
}

static const char *exported(const struct panel *panel)
{
	return ((const struct patterns_panel *)panel)->down ? "waits" : "patterns";
}

static void status(const struct panel *panel, struct str *out)
{
	const struct patterns_panel *p = (const struct patterns_panel *)panel;

	if (p->down)
		table_pane_status(&p->waits, out);
	else
		tree_pane_status(front(p), out);
}

const struct panel_ops patterns_panel_ops = {
	.actions = actions,
	.enter_hint = "go to it",
	.size = sizeof(struct patterns_panel),
	.open = open_panel,
	.close = close_panel,
	.requery = requery,
	.draw = patterns_draw,
	.act = act,
	.search = search,
	.describe = describe,
	.word = word,
	.chosen = chosen,
	.land = land,
	.commands = commands,
	.restore = restore,
	.pane = pane,
	.work = work,
	.status = status,
	.click = click,
	.exported = exported,
};
