/* graph_panel_state: what the parts of the view graph share; no other file includes it.
 *
 * graph_panel.c	the panel: what is computed when, keys
 * graph_panel_way.c	levels: down, up, the hottest path, finding the way again in another graph
 * graph_panel_draw.c	the page: head, level, details */
#pragma once

#include "base/vec.h"
#include "patterns/graph/graph.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/table_pane.h"
#include "views/tables/graph_parts.h"

/* A node, and what it is found by in the graph of another window. */
struct graph_mark {
	uint32_t node; /* GRAPH_NONE: none */
	struct graph_node key;
};

struct graph_step {
	struct graph_mark node; /* what the level shows */
	struct graph_mark via;  /* the call through which one came */
	struct graph_mark at;   /* where the cursor stood when one went on */
};

struct graph_panel {
	struct panel panel;
	struct graph *graph;        /* owned with the session and other panels; NULL not yet */
	VEC(struct graph_step) way; /* from the program down */
	struct table_pane level;    /* what the node contains */
	struct table_pane parts;    /* what is chosen of it, broken down */
	struct graph_mark parts_of; /* of which node; */
	enum graph_parts_by parts_by;
	bool by_location;    /* and not as it has parts of its own */
	bool in_parts;       /* keys go there */
	bool window, filter; /* what the graph was asked for */
	uint64_t generation; /* of the session it was made of */
	struct rect area;    /* for which tables were made */
};

/* ---- graph_panel.c ---- */

/* The node under the cursor of the level, GRAPH_NONE without rows. */
uint32_t graph_panel_chosen(const struct graph_panel *p);
struct graph_chosen graph_panel_locations(const struct graph_panel *p);
/* The level of the way's end again; the cursor on its `at`, if that is there. */
void graph_panel_make_level(struct graph_panel *p);

/* ---- graph_panel_way.c ---- */

struct graph_mark graph_mark_of(const struct graph *graph, uint32_t node);
/* The same way in another graph, as far as it leads. */
void graph_panel_find_way(struct graph_panel *p);
/* One level down at a node; false where there is none below. */
bool graph_panel_down(struct graph_panel *p, uint32_t node);
bool graph_panel_up(struct graph_panel *p);
/* From the node that is chosen down to where most of its time was spent. */
void graph_panel_hottest(struct graph_panel *p);

/* ---- graph_panel_draw.c ---- */

struct graph_page {
	struct rect head, level;
	struct rect detail; /* h 0: no room */
	struct rect parts;  /* the table in it */
};
struct graph_page graph_panel_page(const struct graph_panel *p, struct rect area);
void graph_panel_draw(const struct panel *panel, struct canvas *canvas, struct rect area);
