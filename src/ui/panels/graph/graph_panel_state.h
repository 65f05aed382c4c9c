/* graph_panel_state: shared by the parts of the view graph; no other file includes it.
 *
 * graph_panel.c the panel: computing, keys graph_panel_way.c levels: down, up, the hottest path;
 * the same way in another graph graph_panel_draw.c the page: head, level, details */
#pragma once

#include "base/vec.h"
#include "patterns/graph/graph.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/table_pane.h"
#include "views/query/time_share.h"
#include "views/tables/graph_parts.h"

/* A node, and a key to find it again in the graph of another window. */
struct graph_mark {
	uint32_t node; /* GRAPH_NONE: none */
	struct graph_node key;
};

struct graph_step {
	struct graph_mark node; /* whose contents the level shows */
	struct graph_mark via;  /* the call that led there */
	struct graph_mark at;   /* the cursor's node when the level was left */
};

struct graph_panel {
	struct panel panel;
	struct graph *graph;        /* owned with the session and other panels; NULL not yet */
	VEC(struct graph_step) way; /* from the program down */
	struct table_pane level;    /* contents of the way's last node */
	struct table_pane parts;    /* the node under the cursor, broken down */
	struct graph_mark parts_of; /* of which node; */
	enum graph_parts_by parts_by;
	bool by_location;        /* break down by location, not by the node's default */
	bool in_parts;           /* `parts` has the keys */
	bool window, filter;     /* the graph is of a window, of a filter */
	struct time_parts whole; /* 100 % */
	uint64_t generation;     /* session's when the graph was made */
	struct rect area;        /* for which tables were made */
};

/* ---- graph_panel.c ---- */

/* The node under the cursor of the level, GRAPH_NONE without rows. */
uint32_t graph_panel_chosen(const struct graph_panel *p);
struct graph_chosen graph_panel_locations(const struct graph_panel *p);
/* Makes the level of the way's end again; the cursor goes to its `at`, if that exists. */
void graph_panel_make_level(struct graph_panel *p);

/* ---- graph_panel_way.c ---- */

struct graph_mark graph_mark_of(const struct graph *graph, uint32_t node);
/* Finds the same way in the new graph, as far as it exists. */
void graph_panel_find_way(struct graph_panel *p);
/* One level down to a node; false if it has no contents. */
bool graph_panel_down(struct graph_panel *p, uint32_t node);
bool graph_panel_up(struct graph_panel *p);
/* To the level that contains a node, and to its row there. */
void graph_panel_go(struct graph_panel *p, uint32_t node);
/* From the node under the cursor down the path with most time. */
void graph_panel_hottest(struct graph_panel *p);

/* ---- graph_panel_draw.c ---- */

struct graph_page {
	struct rect head, level;
	struct rect detail; /* h 0: no room */
	struct rect parts;  /* the table in it */
};
struct graph_page graph_panel_page(const struct graph_panel *p, struct rect area);
void graph_panel_draw(const struct panel *panel, struct canvas *canvas, struct rect area);
