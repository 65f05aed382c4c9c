/* patterns_panel_state: the panel's state, for its files (patterns_panel*.c) only.
 *
 * patterns_panel.c	computing again, actions, selection
 * patterns_panel_trees.c	the three trees: their items and values
 * patterns_panel_text.c	what they say
 * patterns_panel_other.c	what the other trace has
 * patterns_panel_grid.c	the third one on the grid of the ranks
 * patterns_panel_draw.c	panes side by side, details below
 * patterns_panel_waits.c	the instances of a metric
 */
#pragma once

#include "ui/widgets/panel.h"
#include "ui/widgets/table_pane.h"
#include "ui/widgets/tree_pane.h"
#include "views/facts/severities.h"
#include "views/facts/topology_values.h"
#include "views/query/time_share.h"

enum pane { PANE_METRICS, PANE_PATHS, PANE_PLACES, PANES };

/* Sets of values in the trees; those with a cube come first. */
enum value_set { SET_BASE, SET_LOWER, SET_UPPER, SET_OLD, CUBE_SETS = SET_OLD };

/* The unit of the values shown. */
enum value_mode {
	VALUES_OWN,      /* seconds, occurrences, bytes */
	VALUES_WHOLE,    /* per cent of the root metric's total */
	VALUES_SELECTED, /* metrics: of their root; call paths: of the metric; locations: of the
			    call path */
	VALUES_OTHER,    /* per cent of the same in the other trace */
	VALUE_MODES
};

/* Rows of the tree of locations. */
enum place_kind { PLACE_TREE_NODE, PLACE_NODE, PLACE_RANGE, PLACE_PROCESS, PLACE_LOCATION };

struct place {
	enum place_kind kind;
	uint32_t id;          /* tree node; string; first location; first location; location */
	uint32_t first, last; /* locations: of a range */
};

struct patterns_panel {
	struct panel panel;
	struct tree_pane trees[PANES];
	enum pane front;
	enum value_mode mode;
	VEC(struct place) places;  /* by id of the tree's items */
	uint32_t *path_items;      /* [call paths] item of a canonical one, else TREE_NONE */
	uint32_t *location_items;  /* [locations] */
	double *by_path, *by_part; /* [call paths] scratch */
	double *by_location;       /* [locations] scratch */
	struct severities severities[CUBE_SETS]; /* of the session's base; lower; upper */
	int sets;                                /* 1, or with bounds CUBE_SETS */
	const struct delta *delta;      /* to the other trace, while values are filled in; NULL */
	double metric_value;            /* of the selected metric, as it is shown */
	double path_value;              /* of the selected call path */
	struct time_parts metric_parts; /* of the selected metric with all below it, */
	struct time_parts whole;        /* and what 100 % of it is */
	double largest_place;
	uint64_t generation;     /* session's, from which all was computed */
	bool ready, waiting;     /* there are values; the analysis is not there yet */
	bool trees_changed;      /* values of all trees are old */
	const struct grid *grid; /* of the analysis; NULL: none but nodes x ranks */
	struct topology_values grid_values;
	/* The instances of a row, instead of the trees. */
	bool down;
	struct table_pane waits;
	uint32_t waits_path;  /* UINT32_MAX: all */
	uint32_t waits_place; /* item of the third tree, TREE_NONE: all */
	/* Locations that this panel pinned in the timeline to show them together. */
	uint32_t pinned[2];
	unsigned n_pinned;
	char problem[256]; /* why there are no values; "" */
};

/* ---- patterns_panel_trees.c ---- */

void patterns_build(struct patterns_panel *p);
/* Sets the values of the trees from the cubes: all, or, if `metrics` is false, those that depend on
 * the selection. */
void patterns_fill(struct patterns_panel *p, const struct cube *const *cubes, bool metrics);
enum cube_metric patterns_metric(const struct patterns_panel *p); /* selected; CUBE_NONE */
uint32_t patterns_path(const struct patterns_panel *p); /* selected, canonical; UINT32_MAX */
/* Selects the largest wait state, and its largest call path and location. */
void patterns_choose(struct patterns_panel *p, const struct cube *const *cubes);
/* Iterates over the children of the selected metric that are shown as rows, whose part its row does
 * not include: the next one after `child` (TREE_NONE: the first); TREE_NONE: no more. */
uint32_t patterns_next_part(const struct patterns_panel *p, uint32_t child);

/* ---- patterns_panel_text.c ---- */

extern const struct tree_ops patterns_tree_ops[PANES];
/* "412 ms", or with bounds "[401 ms, 423 ms]". */
void patterns_values_text(const struct patterns_panel *p, enum cube_metric metric,
			  const double *values, struct str *out);
void patterns_place_name(const struct patterns_panel *p, uint32_t place, struct str *out);
/* "sweep.c:112": source line of a call path's last call; nothing if not known. */
void patterns_source(const struct trace *trace, uint32_t path, struct str *out);

/* ---- patterns_panel_other.c: 0 without p->delta ---- */

void patterns_old_metrics(struct patterns_panel *p);
void patterns_old_paths(struct patterns_panel *p);
void patterns_old_places(struct patterns_panel *p);

/* ---- patterns_panel_draw.c ---- */

void patterns_draw(const struct panel *panel, struct canvas *canvas, struct rect area);
/* Area of a tree, with the pane's title above it; w 0: it is not shown. And with the grid below
 * it. */
struct rect patterns_area(const struct patterns_panel *p, struct rect area, enum pane pane);
struct rect patterns_pane(const struct patterns_panel *p, struct rect area, enum pane pane);
const char *patterns_mode_name(const struct patterns_panel *p);

/* ---- patterns_panel_grid.c ---- */

void patterns_fill_grid(struct patterns_panel *p); /* after patterns_fill() */
/* Lines that the picture takes at the bottom of the third pane; 0: there is no grid, or no room. */
int patterns_grid_height(const struct patterns_panel *p, struct rect pane);
void patterns_draw_grid(const struct patterns_panel *p, struct canvas *canvas, struct rect pane);

/* Puts the cursor on the location there; false where there is none. */
bool patterns_click_grid(struct patterns_panel *p, int x, int y, struct rect pane);

/* ---- patterns_panel_waits.c ---- */

void patterns_query_waits(struct patterns_panel *p);
/* Go to the instances of the cursor's row; from the cursor's instance to the timeline. */
unsigned patterns_enter_waits(struct patterns_panel *p);
unsigned patterns_enter_timeline(struct patterns_panel *p);
/* Explains the cursor's instance; for a row of the trees its longest one. */
unsigned patterns_explain(struct patterns_panel *p);
struct rect patterns_waits_area(struct rect area);
void patterns_draw_waits(const struct patterns_panel *p, struct canvas *canvas, struct rect area);
