/* The three trees of the view of wait states: what they are made of, and their values. */
#include <math.h>
#include <stdlib.h>

#include "base/keymap.h"
#include "base/mem.h"
#include "model/trace/detail.h"
#include "patterns/severity/region_metric.h"
#include "ui/panels/patterns/patterns_panel_state.h"

/* Locations of which no more can be looked at one by one; and most groups made of them. */
enum { MANY = 200, RANGES = 64 };

/* Columns that values take. */
enum { VALUE_W = 9, RANGE_W = 13 };

static const struct trace *trace_of(const struct patterns_panel *p)
{
	return p->panel.session->trace;
}

/* ---- metrics and call paths ---- */

static void build_metrics(struct patterns_panel *p)
{
	struct tree_pane *tree = &p->trees[PANE_METRICS];

	/* Metrics come after their parents, so that item numbers are metric numbers. */
	for (int m = 0; m < CUBE_METRICS; m++) {
		const enum cube_metric parent = cube_metric_info((enum cube_metric)m)->parent;
		const uint32_t item =
			tree_pane_add(tree, parent == CUBE_NONE ? TREE_NONE : (uint32_t)parent,
				      (uint32_t)m);
		/* The wait states among the times are what one comes for; what they are made of,
		 * and other roots, are opened when asked for. */
		tree->items.data[item].open =
			m == CUBE_TIME ||
			(cube_metric_within((enum cube_metric)m, CUBE_TIME) &&
			 cube_metric_info((enum cube_metric)m)->source != SOURCE_FOUND);
	}
}

static void build_paths(struct patterns_panel *p)
{
	struct tree_pane *tree = &p->trees[PANE_PATHS];
	const struct trace *trace = trace_of(p);
	const uint32_t n = trace_callpath_count(trace), regions = trace_region_count(trace);
	OWNED bool *of_ends = xcalloc((size_t)regions + 1, sizeof *of_ends);

	for (uint32_t r = 0; r < regions; r++)
		of_ends[r] = region_is_of_ends(trace, r);
	p->path_items = xmalloc((n + 1) * sizeof *p->path_items);
	p->by_path = xcalloc(n + 1, sizeof *p->by_path);
	p->by_part = xcalloc(n + 1, sizeof *p->by_part);
	for (uint32_t path = 1; path < n; path++) {
		const struct callpath *c = trace_callpath(trace, path);
		const uint32_t parent = trace_callpath(trace, c->parent)->canon;
		p->path_items[path] = TREE_NONE;
		if (c->canon != path)
			continue;
		p->path_items[path] =
			tree_pane_add(tree, parent ? p->path_items[parent] : TREE_NONE, path);
		vec_last(&tree->items)->aside = of_ends[trace_callpath_region(trace, path)];
	}
	/* The time in which no region is open. */
	p->path_items[0] = tree_pane_add(tree, TREE_NONE, 0);
}

/* ---- locations ---- */

static uint32_t add_place(struct patterns_panel *p, uint32_t parent, struct place place)
{
	vec_push(&p->places, place);
	return tree_pane_add(&p->trees[PANE_PLACES], parent, (uint32_t)(p->places.n - 1));
}

/* The system tree's node of a location; UINT32_MAX: not recorded. */
static uint32_t tree_node_of(const struct trace *trace, uint32_t location)
{
	const uint32_t owner = trace_location(trace, location)->owner;

	return owner < trace_process_count(trace) ? trace_process(trace, owner)->node : UINT32_MAX;
}

/* Nodes of the system tree on which there are locations; items by node, the caller frees it. */
static uint32_t *add_tree_nodes(struct patterns_panel *p)
{
	const struct trace *trace = trace_of(p);
	const uint32_t n = trace_tree_node_count(trace);
	uint32_t *items = xmalloc((n + 1) * sizeof *items);
	OWNED bool *used = xcalloc(n + 1, sizeof *used);

	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		const uint32_t node = tree_node_of(trace, l);
		if (node < n)
			used[node] = true;
	}
	for (uint32_t node = n; node-- > 0;) {
		const uint32_t parent = trace_tree_node(trace, node)->parent;
		if (used[node] && parent < n)
			used[parent] = true;
	}
	for (uint32_t node = 0; node < n; node++) {
		const uint32_t parent = trace_tree_node(trace, node)->parent;
		items[node] = TREE_NONE;
		if (used[node])
			items[node] = add_place(p, parent < node ? items[parent] : TREE_NONE,
						(struct place){ PLACE_TREE_NODE, node, 0, 0 });
	}
	return items;
}

/* What tells the locations of one process from those of another. */
static struct key process_key(const struct trace *trace, uint32_t location)
{
	const struct location *l = trace_location(trace, location);

	if (l->owner < trace_process_count(trace))
		return (struct key){ { 1, l->owner } };
	if (l->rank != RANK_UNKNOWN)
		return (struct key){ { 2, (uint32_t)l->rank } };
	return (struct key){ { 3, location } };
}

struct placing {
	uint32_t *tree_nodes; /* [tree nodes] items */
	struct keymap nodes, processes, threads;
	uint32_t range, ranges; /* ranks in a group, 0 none; item of the last group */
	int64_t group;
};

/* Parent item of a location's process. */
static uint32_t above_process(struct patterns_panel *p, struct placing *at, uint32_t location)
{
	const struct trace *trace = trace_of(p);
	const struct location *l = trace_location(trace, location);
	const uint32_t node = tree_node_of(trace, location);
	uint32_t *item;

	if (node < trace_tree_node_count(trace))
		return at->tree_nodes[node];
	if (l->node) {
		item = keymap_add(&at->nodes, (struct key){ { l->node } });
		if (*item == UINT32_MAX)
			*item = add_place(p, TREE_NONE,
					  (struct place){ PLACE_NODE, l->node, 0, 0 });
		return *item;
	}
	if (!at->range)
		return TREE_NONE;
	if (at->group != location / at->range) {
		at->group = location / at->range;
		at->ranges = add_place(p, TREE_NONE,
				       (struct place){ PLACE_RANGE, location, location, location });
	}
	p->places.data[p->trees[PANE_PLACES].items.data[at->ranges].id].last = location;
	return at->ranges;
}

static void place_location(struct patterns_panel *p, struct placing *at, uint32_t location)
{
	const struct trace *trace = trace_of(p);
	const struct key key = process_key(trace, location);
	const struct place place = { PLACE_LOCATION, location, 0, 0 };
	uint32_t *process = keymap_add(&at->processes, key);

	if (*process == UINT32_MAX) {
		const uint32_t above = above_process(p, at, location);
		*process = above;
		if (*keymap_add(&at->threads, key) > 1)
			*process = add_place(p, above,
					     (struct place){ PLACE_PROCESS, location, 0, 0 });
		/* TREE_NONE is what keymap_add() takes for new: a process of one location has no
		 * second that could ask. */
	}
	p->location_items[location] = add_place(p, *process, place);
}

static void build_places(struct patterns_panel *p)
{
	const struct trace *trace = trace_of(p);
	const uint32_t n = trace_location_count(trace);
	struct tree_pane *tree = &p->trees[PANE_PLACES];
	struct placing at = { .group = -1 };

	p->location_items = xmalloc((n + 1) * sizeof *p->location_items);
	p->by_location = xcalloc(n + 1, sizeof *p->by_location);
	for (at.range = n > MANY ? 16 : 0; at.range && n / at.range > RANGES;)
		at.range *= 2;
	at.tree_nodes = add_tree_nodes(p);
	for (uint32_t l = 0; l < n; l++) {
		uint32_t *threads = keymap_add(&at.threads, process_key(trace, l));
		*threads = *threads == UINT32_MAX ? 1 : *threads + 1;
	}
	for (uint32_t l = 0; l < n; l++)
		place_location(p, &at, l);
	/* All of few; of many the way down to where they are many. */
	for (size_t i = 0; i < tree->items.n; i++)
		tree->items.data[i].open =
			p->places.data[tree->items.data[i].id].kind < PLACE_PROCESS &&
			(n <= MANY || tree->items.data[i].depth == 0);
	for (size_t i = 0; n > MANY && i < tree->items.n; i++)
		if (p->places.data[tree->items.data[i].id].kind != PLACE_TREE_NODE)
			tree->items.data[i].open = false;
	keymap_fini(&at.nodes);
	keymap_fini(&at.processes);
	keymap_fini(&at.threads);
	free(at.tree_nodes);
}

/* ---- all three ---- */

void patterns_build(struct patterns_panel *p)
{
	for (int i = 0; i < PANES; i++) {
		p->trees[i].ops = &patterns_tree_ops[i];
		p->trees[i].context = p;
		p->trees[i].cursor = TREE_NONE;
		p->trees[i].value_width = VALUE_W;
	}
	build_metrics(p);
	build_paths(p);
	build_places(p);
}

/* ---- values ---- */

enum cube_metric patterns_metric(const struct patterns_panel *p)
{
	const struct tree_item *item = tree_pane_item(&p->trees[PANE_METRICS]);

	return item ? (enum cube_metric)item->id : CUBE_NONE;
}

uint32_t patterns_path(const struct patterns_panel *p)
{
	const struct tree_item *item = tree_pane_item(&p->trees[PANE_PATHS]);

	return item ? item->id : UINT32_MAX;
}

uint32_t patterns_next_part(const struct patterns_panel *p, uint32_t child)
{
	const struct tree_item *items = p->trees[PANE_METRICS].items.data;
	const struct tree_item *item = tree_pane_item(&p->trees[PANE_METRICS]);

	if (!item || !item->open)
		return TREE_NONE;
	child = child == TREE_NONE ? item->first : items[child].next;
	while (child != TREE_NONE && items[child].gone)
		child = items[child].next;
	return child;
}

static void fill_metrics(struct patterns_panel *p, const struct cube *const *cubes)
{
	struct tree_pane *tree = &p->trees[PANE_METRICS];

	for (uint32_t m = 0; m < CUBE_METRICS; m++) {
		tree->items.data[m].gone = !cube_has(cubes[0], (enum cube_metric)m);
		for (int s = 0; s < p->sets; s++)
			tree->items.data[m].value[s] =
				cube_total(cubes[s], (enum cube_metric)m, NULL);
	}
	patterns_old_metrics(p);
	tree_pane_settle(tree);
	tree_pane_values(tree);
}

/* What is above something that is shown is shown, too. */
static void settle_hidden(struct tree_pane *tree)
{
	for (size_t i = tree->items.n; i-- > 0;) {
		const struct tree_item *item = &tree->items.data[i];
		if (!item->gone && item->parent != TREE_NONE)
			tree->items.data[item->parent].gone = false;
	}
	tree_pane_settle(tree);
}

/* Hides call paths without any value here. */
static void hide_paths(struct patterns_panel *p, const struct cube *cube)
{
	struct tree_pane *tree = &p->trees[PANE_PATHS];

	for (size_t i = 0; i < tree->items.n; i++)
		tree->items.data[i].gone = true;
	for (int m = 0; m < CUBE_METRICS; m++) {
		size_t n;
		const struct cube_cell *cells = cube_cells(cube, (enum cube_metric)m, &n);
		for (size_t i = 0; i < n; i++)
			tree->items.data[p->path_items[cells[i].path]].gone = false;
	}
	settle_hidden(tree);
}

static void fill_paths(struct patterns_panel *p, const struct cube *const *cubes)
{
	struct tree_pane *tree = &p->trees[PANE_PATHS];
	const enum cube_metric metric = patterns_metric(p);
	const uint32_t n = trace_callpath_count(trace_of(p));

	for (int s = 0; s < p->sets; s++) {
		cube_by_path(cubes[s], metric, NULL, p->by_path);
		for (uint32_t c = TREE_NONE; (c = patterns_next_part(p, c)) != TREE_NONE;) {
			cube_by_path(cubes[s], (enum cube_metric)c, NULL, p->by_part);
			for (uint32_t path = 0; path < n; path++)
				p->by_path[path] -= p->by_part[path];
		}
		for (size_t i = 0; i < tree->items.n; i++)
			tree->items.data[i].value[s] = p->by_path[tree->items.data[i].id];
	}
	patterns_old_paths(p);
	tree_pane_include(tree);
	tree_pane_values(tree);
	p->metric_value = tree_pane_shown(tree_pane_item(&p->trees[PANE_METRICS]))[0];
}

/* Where the selected metric is. */
static void fill_parts(struct patterns_panel *p, const struct cube *cube)
{
	const struct trace *trace = trace_of(p);

	p->metric_parts = (struct time_parts){ 0 };
	cube_by_location(cube, patterns_metric(p), 0, true, p->by_location);
	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		time_parts_add(&p->metric_parts, trace_location(trace, l), p->by_location[l]);
}

static void hide_places(struct patterns_panel *p)
{
	struct tree_pane *tree = &p->trees[PANE_PLACES];
	const struct session *session = p->panel.session;

	for (size_t i = 0; i < tree->items.n; i++)
		tree->items.data[i].gone = true;
	for (size_t i = 0; i < session->rows.n; i++) {
		const uint32_t l = session->rows.data[i];
		tree->items.data[p->location_items[l]].gone =
			session->filter && !filter_location(session->filter, l);
	}
	settle_hidden(tree);
}

static void fill_places(struct patterns_panel *p, const struct cube *const *cubes)
{
	struct tree_pane *tree = &p->trees[PANE_PLACES];
	const struct tree_item *path = tree_pane_item(&p->trees[PANE_PATHS]);
	const enum cube_metric metric = patterns_metric(p);
	const uint32_t n = trace_location_count(trace_of(p));

	p->largest_place = 0;
	for (int s = 0; s < p->sets; s++) {
		for (size_t i = 0; i < tree->items.n; i++)
			tree->items.data[i].value[s] = 0;
		if (!path)
			continue;
		cube_by_location(cubes[s], metric, path->id, !path->open, p->by_location);
		for (uint32_t l = 0; l < n; l++)
			tree->items.data[p->location_items[l]].value[s] = p->by_location[l];
		for (uint32_t c = TREE_NONE; (c = patterns_next_part(p, c)) != TREE_NONE;) {
			cube_by_location(cubes[s], (enum cube_metric)c, path->id, !path->open,
					 p->by_location);
			for (uint32_t l = 0; l < n; l++)
				tree->items.data[p->location_items[l]].value[s] -=
					p->by_location[l];
		}
	}
	for (uint32_t l = 0; l < n; l++)
		p->largest_place =
			fmax(p->largest_place, tree->items.data[p->location_items[l]].value[0]);
	patterns_old_places(p);
	tree_pane_include(tree);
	tree_pane_values(tree);
	p->path_value = path ? tree_pane_shown(path)[0] : 0;
}

void patterns_fill(struct patterns_panel *p, const struct cube *const *cubes, bool metrics)
{
	for (int i = 0; i < PANES; i++)
		p->trees[i].value_width = p->sets > 1 && p->mode == VALUES_OWN ? RANGE_W : VALUE_W;
	if (metrics) {
		fill_metrics(p, cubes);
		hide_paths(p, cubes[0]);
		hide_places(p);
	}
	if (patterns_metric(p) == CUBE_NONE)
		return;
	fill_paths(p, cubes);
	fill_parts(p, cubes[0]);
	fill_places(p, cubes);
}

/* Metrics that patterns find: metrics above them are sums of these, and completion after the first
 * leave is not waiting. */
static bool is_wait_state(enum cube_metric m)
{
	return cube_metric_info(m)->source == SOURCE_FOUND &&
	       cube_metric_within(m, CUBE_EXECUTION) && m != CUBE_MPI_INIT_COMPLETION &&
	       m != CUBE_MPI_BARRIER_COMPLETION && m != CUBE_MPI_NXN_COMPLETION;
}

static enum cube_metric largest_wait(const struct cube *cube)
{
	enum cube_metric best = CUBE_TIME;
	double most = 0;

	for (int m = 0; m < CUBE_METRICS; m++) {
		const double total = cube_total(cube, (enum cube_metric)m, NULL);
		if (!is_wait_state((enum cube_metric)m) || total <= most)
			continue;
		most = total;
		best = (enum cube_metric)m;
	}
	return best;
}

void patterns_choose(struct patterns_panel *p, const struct cube *const *cubes)
{
	struct session *session = p->panel.session;
	const uint32_t best =
		session->metric != CUBE_NONE ? session->metric : (uint32_t)largest_wait(cubes[0]);

	/* The filter leaves no metric. */
	if (patterns_metric(p) == CUBE_NONE)
		return;
	/* No wait states: select where the time went. */
	if (best == CUBE_TIME && session->metric == CUBE_NONE)
		tree_pane_hottest(&p->trees[PANE_METRICS], CUBE_TIME);
	else if (best != patterns_metric(p) && !p->trees[PANE_METRICS].items.data[best].gone)
		tree_pane_go(&p->trees[PANE_METRICS], best);
	if (session->callpath == UINT32_MAX) {
		fill_paths(p, cubes);
		tree_pane_hottest(&p->trees[PANE_PATHS], TREE_NONE);
	} else if (session->callpath != patterns_path(p)) {
		const uint32_t item =
			p->path_items[trace_callpath(session->trace, session->callpath)->canon];
		if (!p->trees[PANE_PATHS].items.data[item].gone)
			tree_pane_go(&p->trees[PANE_PATHS], item);
	}
}
