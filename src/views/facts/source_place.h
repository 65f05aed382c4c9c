/* source_place: a line of the program's source that a region, event or statement belongs to. Views
 * ask the view *source* and $EDITOR to show it.
 *
 * A panel that knows the line of the item under its cursor has the slot panel_ops.source; the keys
 * of the actions SOURCE (shows the view source there) and EDIT ($EDITOR) then work in it. A panel
 * that leads there itself (Enter at a statement) calls
 *
 *	struct source_place place;
 *	if (source_of_node(graph, node, &place))
 *		session_show_source(session, &place);	... REACT_REDRAW: the application switches
 *
 * Backspace comes back to the view that asked. Pure; places are values. */
#pragma once

#include "patterns/graph/graph.h"
#include "views/query/table.h"

struct session;

struct source_place {
	uint32_t file; /* string of the trace; 0: the trace names no file */
	uint32_t line; /* 0: unknown, the file's beginning */
	uint32_t node; /* node of the session's graph to be marked; GRAPH_NONE none */
};

#define SOURCE_NOWHERE ((struct source_place){ 0, 0, GRAPH_NONE })

/* Each is false where neither file nor line is known; `place` is then SOURCE_NOWHERE. */
/* Call site, else definition, of the innermost region that has one. */
bool source_of_callpath(const struct trace *trace, uint32_t path, struct source_place *place);
bool source_of_event(const struct trace *trace, uint32_t event, struct source_place *place);
/* For the thing of a row: a region, a call path or an event. */
bool source_of_thing(const struct trace *trace, struct row_thing thing, struct source_place *place);
bool source_of_node(const struct graph *graph, uint32_t node, struct source_place *place);
