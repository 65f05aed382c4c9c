/* selection: the one thing that is selected, in whatever view that was done, with all that follows
 * from it, so that every view can land on it.
 *
 * A panel says what its cursor is on (panel_ops.chosen) in the terms that it knows: a row's thing,
 * an event, a statement. selection_complete() adds what follows from that at once: of an event its
 * location, call path, region, message, collective and wait; of a message its send; of a wait its
 * call path, and so on. What needs a search over events (the longest visit of a region) is found
 * when a view needs an event: selection_event().
 *
 * Plain values, nothing is owned. Numbers are the trace's; UINT32_MAX is 'not known'. */
#pragma once

#include "views/facts/source_place.h"
#include "views/query/view.h"

struct selection {
	uint32_t location;
	uint32_t event; /* EVENT_NONE */
	uint32_t path;  /* canonical call path */
	uint32_t region;
	uint32_t message, collective;
	uint32_t wait;             /* of the location's list in `base` */
	enum time_base base;       /* of `wait` */
	uint8_t metric;            /* enum cube_metric, CUBE_NONE */
	struct source_place place; /* a statement */
};

#define SELECTION_NONE                                                                   \
	((struct selection){ UINT32_MAX, EVENT_NONE, UINT32_MAX, UINT32_MAX, UINT32_MAX, \
			     UINT32_MAX, UINT32_MAX, BASE_MEASURED, CUBE_NONE, SOURCE_NOWHERE })

bool selection_is_none(const struct selection *selection);
bool selection_same(const struct selection *a, const struct selection *b);

/* ---- from a view ---- */

/* The thing of a row. */
void selection_of_thing(struct selection *selection, const struct query *query,
			struct row_thing thing);
/* A node of the program graph: the procedure, or the call at that line. O(call paths). */
void selection_of_node(struct selection *selection, const struct query *query,
		       const struct graph *graph, uint32_t node);
/* Adds what follows from what is known; bounded. */
void selection_complete(struct selection *selection, const struct query *query);

/* ---- to a view ---- */

/* An event to go to: the selection's own, else the longest wait of its metric, else the longest
 * visit of its call path or region, on its location if it has one, of the query's window and
 * locations. EVENT_NONE: there is none, or progress stopped the search. O(events). */
uint32_t selection_event(const struct selection *selection, const struct query *query);
/* Whether a view that is at an event, or (EVENT_NONE) at a time of a location, is there already. */
bool selection_holds(const struct selection *selection, const struct query *query,
		     uint32_t location, int64_t time, uint32_t event);
/* The thing of that kind; THING_NONE where the selection has none. */
struct row_thing selection_thing(const struct selection *selection, const struct trace *trace,
				 enum thing_kind kind);
/* The node of a graph that it is about; GRAPH_NONE. O(nodes). */
uint32_t selection_node(const struct selection *selection, const struct trace *trace,
			const struct graph *graph);
/* What to explain; false where nothing is. */
bool selection_subject(const struct selection *selection, const struct query *query,
		       struct explain_subject *subject);
/* Its line of source. `caller`: the call path to which the line belongs where the call itself has
 * none, else UINT32_MAX. False: neither it nor a caller has a line. */
bool selection_source(const struct selection *selection, const struct trace *trace,
		      struct source_place *place, uint32_t *caller);
