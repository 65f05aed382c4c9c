/* What the other trace has where this one has something, in the fourth set of the trees' values: of
 * the window that corresponds, and of all locations. Values become ticks of this trace. */

#include "base/mem.h"
#include "patterns/compare/delta.h"
#include "ui/panels/patterns/patterns_panel_state.h"

/* From seconds (counts and bytes stay). */
static double factor(const struct patterns_panel *p, enum cube_metric metric)
{
	return cube_metric_info(metric)->unit == UNIT_TICKS
		       ? (double)trace_scale(p->panel.session->trace)->per_second
		       : 1;
}

void patterns_old_metrics(struct patterns_panel *p)
{
	struct tree_item *items = p->trees[PANE_METRICS].items.data;

	for (int m = 0; m < CUBE_METRICS; m++) {
		items[m].value[SET_OLD] = 0;
		if (p->delta)
			items[m].value[SET_OLD] =
				delta_total(p->delta, (enum cube_metric)m).value[ALIGN_OLD] *
				factor(p, (enum cube_metric)m);
	}
}

void patterns_old_paths(struct patterns_panel *p)
{
	struct tree_pane *tree = &p->trees[PANE_PATHS];
	const enum cube_metric metric = patterns_metric(p);
	const double unit = factor(p, metric);

	for (size_t i = 0; i < tree->items.n; i++)
		tree->items.data[i].value[SET_OLD] = 0;
	if (!p->delta)
		return;
	delta_old_by_path(p->delta, metric, p->by_path);
	for (size_t i = 0; i < tree->items.n; i++)
		tree->items.data[i].value[SET_OLD] = p->by_path[tree->items.data[i].id] * unit;
	for (uint32_t c = TREE_NONE; (c = patterns_next_part(p, c)) != TREE_NONE;) {
		delta_old_by_path(p->delta, (enum cube_metric)c, p->by_path);
		for (size_t i = 0; i < tree->items.n; i++)
			tree->items.data[i].value[SET_OLD] -=
				p->by_path[tree->items.data[i].id] * unit;
	}
}

/* ---- locations ---- */

struct summing {
	const struct alignment *alignment;
	const bool *within; /* [nodes of the alignment] */
	double sign;
	double *places; /* [places] ticks of the old trace */
};

static void sum_cell(void *context, const struct cube_cell *cell)
{
	const struct summing *s = context;
	const struct alignment *a = s->alignment;

	if (s->within[a->path_of[ALIGN_OLD][cell->path]])
		s->places[a->place_of[ALIGN_OLD][cell->location]] += s->sign * cell->value;
}

/* The nodes of the selected call path: all below it, too, where its row is closed. */
static bool *nodes_within(const struct alignment *a, const struct tree_item *path)
{
	const uint32_t top = a->path_of[ALIGN_NEW][path->id];
	bool *within = xcalloc((size_t)a->n_paths + 1, sizeof *within);

	within[top] = true;
	/* The root's own time has a row beside the others, not above them. */
	for (uint32_t n = top + 1; !path->open && path->id && n < a->n_paths; n++)
		within[n] = within[n] || within[a->paths[n].parent];
	return within;
}

/* Where several locations stand for one place of the other trace, each has its part of it. */
static void fill_locations(struct patterns_panel *p, const struct alignment *a,
			   const double *places)
{
	struct tree_pane *tree = &p->trees[PANE_PLACES];
	const double unit = cube_metric_info(patterns_metric(p))->unit == UNIT_TICKS
				    ? (double)trace_scale(a->trace[ALIGN_NEW])->per_second /
					      (double)trace_scale(a->trace[ALIGN_OLD])->per_second
				    : 1;

	for (uint32_t l = 0; l < trace_location_count(p->panel.session->trace); l++) {
		const uint32_t place = a->place_of[ALIGN_NEW][l];
		const uint32_t n = a->places[place].n[ALIGN_NEW];
		tree->items.data[p->location_items[l]].value[SET_OLD] =
			n ? places[place] * unit / n : 0;
	}
}

void patterns_old_places(struct patterns_panel *p)
{
	struct tree_pane *tree = &p->trees[PANE_PLACES];
	const struct tree_item *path = tree_pane_item(&p->trees[PANE_PATHS]);
	struct summing s = { .sign = 1 };
	const struct cube *old;
	bool *within;

	for (size_t i = 0; i < tree->items.n; i++)
		tree->items.data[i].value[SET_OLD] = 0;
	if (!p->delta || !path)
		return;
	old = p->panel.session->other->all[0].cube;
	s.alignment = delta_alignment(p->delta);
	s.places = xcalloc((size_t)s.alignment->n_places + 1, sizeof *s.places);
	within = nodes_within(s.alignment, path);
	s.within = within;
	cube_visit(old, patterns_metric(p), sum_cell, &s);
	s.sign = -1;
	for (uint32_t c = TREE_NONE; (c = patterns_next_part(p, c)) != TREE_NONE;)
		cube_visit(old, (enum cube_metric)c, sum_cell, &s);
	fill_locations(p, s.alignment, s.places);
	free_all(within, s.places);
}
