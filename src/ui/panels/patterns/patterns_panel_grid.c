/* The values of the third tree on the grid that the ranks form, below the tree where there is room:
 * what the topology shows in full. */
#include <stdlib.h>

#include "base/mem.h"
#include "ui/panels/patterns/patterns_panel_state.h"
#include "ui/panels/topology/topology_picture.h"
#include "views/query/analyses.h"

/* What the pane must have for a picture besides its rows. */
enum { LEAST_H = 20, LEAST_W = 16, TITLE = 2 };

void patterns_fill_grid(struct patterns_panel *p)
{
	const struct session *session = p->panel.session;
	const struct grids *grids = analyses_grids(session->analyses, session->base, NULL);
	const struct tree_item *items = p->trees[PANE_PLACES].items.data;
	struct topology_values *v = &p->grid_values;

	p->grid = grids && grids->n && !topology_is_nodes(&grids->grid[0]) ? &grids->grid[0] : NULL;
	topology_values_fini(v);
	if (patterns_metric(p) == CUBE_NONE)
		p->grid = NULL;
	if (!p->grid)
		return;
	*v = (struct topology_values){ .trace = session->trace,
				       .grids = grids,
				       .metric = patterns_metric(p),
				       .callpath = patterns_path(p),
				       .n = trace_location_count(session->trace) };
	v->chosen = xcalloc((size_t)v->n + 1, sizeof *v->chosen);
	v->of = xcalloc((size_t)v->n + 1, sizeof *v->of);
	for (uint32_t l = 0; l < v->n; l++) {
		const struct tree_item *item = &items[p->location_items[l]];
		v->chosen[l] = !item->gone;
		v->of[l] = item->value[0];
	}
}

/* The coordinates of the location under the cursor; NULL. */
static const int32_t *cursor_of(const struct patterns_panel *p)
{
	const struct tree_item *item = tree_pane_item(&p->trees[PANE_PLACES]);
	const struct place *place = item ? &p->places.data[item->id] : NULL;
	const int32_t *coords;

	if (!place || place->kind != PLACE_LOCATION || place->id >= p->grid->n)
		return NULL;
	coords = p->grid->coords + (size_t)place->id * p->grid->dims;
	return coords[0] < 0 ? NULL : coords;
}

/* As much as half of the pane, at its bottom. */
static struct topology_layout layout_of(const struct patterns_panel *p, struct rect pane)
{
	const struct topology_look look = { .ascii = p->panel.session->ascii };
	const int h = pane.h / 2 - TITLE;
	const struct rect area = { pane.x + 1, pane.y + pane.h - h, pane.w - 2, h };

	return topology_layout(p->grid, &look, area, cursor_of(p));
}

int patterns_grid_height(const struct patterns_panel *p, struct rect pane)
{
	struct topology_layout layout;

	if (!p->ready || !p->grid || pane.h < LEAST_H || pane.w < LEAST_W)
		return 0;
	layout = layout_of(p, pane);
	if (topology_height(&layout) > layout.area.h || topology_width(&layout) > layout.area.w)
		return 0;
	return layout.area.h + TITLE;
}

bool patterns_click_grid(struct patterns_panel *p, int x, int y, struct rect pane)
{
	int32_t coords[GRID_DIMS];
	struct topology_layout layout;
	uint32_t location;

	if (!patterns_grid_height(p, pane))
		return false;
	layout = layout_of(p, pane);
	if (!topology_hit(&layout, x, y, coords))
		return false;
	location = grid_location(p->grid, coords);
	if (location >= p->grid_values.n || !p->grid_values.chosen[location])
		return false;
	tree_pane_go(&p->trees[PANE_PLACES], p->location_items[location]);
	return true;
}

void patterns_draw_grid(const struct patterns_panel *p, struct canvas *canvas, struct rect pane)
{
	const struct topology_layout layout = layout_of(p, pane);
	const struct topology_range range = topology_range(&p->grid_values, p->grid);

	const char *unit = topology_short_unit(&p->grid_values, range.max);

	canvas_text_fmt(canvas, layout.area.x, layout.area.y - 1, layout.area.w, ROLE_MUTED,
			"%s%s%s%s", p->grid->name,
			p->grid->source == GRID_GUESSED ? ", guessed" : "", *unit ? ", " : "",
			unit);
	topology_draw(&layout, &p->grid_values, &range, cursor_of(p), canvas);
}
