/* source_place: a line of the program's source that a region, event or statement belongs to. Views
 * ask the view *source* and $EDITOR to show it.
 *
 * A panel whose cursor is on something with a line says so as its selection (panel_ops.chosen); the
 * keys of the actions SOURCE (shows the view source there) and EDIT ($EDITOR) then work in it. A
 * panel that leads there itself (Enter at a statement) calls
 *
 *	struct source_place place;
 *	if (source_of_node(graph, node, &place))
 *		session_show_source(session, &place);	... REACT_REDRAW: the application switches
 *
 * Backspace comes back to the view that asked. Pure; places are values. */
#pragma once

#include "patterns/graph/graph.h"
#include "views/query/table.h"

struct source_place {
	uint32_t file; /* string of the trace; 0: the trace names no file */
	uint32_t line; /* 0: unknown, the file's beginning */
	uint32_t node; /* node of the session's graph to be marked; GRAPH_NONE none */
};

#define SOURCE_NOWHERE ((struct source_place){ 0, 0, GRAPH_NONE })

/* False where there is no file: Score-P then writes the name of its adapter ("MPI"). */
bool source_is_file(const struct trace *trace, uint32_t file, uint32_t line);

/* Each is false where neither file nor line is known; `place` is then SOURCE_NOWHERE. */
/* Call site, else definition, of the innermost region that has one. */
bool source_of_callpath(const struct trace *trace, uint32_t path, struct source_place *place);
/* Where source_of_callpath() has the line of a caller, the call path up to it; UINT32_MAX: the line
 * is the call's own, or there is none. */
uint32_t source_caller(const struct trace *trace, uint32_t path);
/* The definition of a region. */
bool source_of_region(const struct trace *trace, uint32_t region, struct source_place *place);
bool source_of_node(const struct graph *graph, uint32_t node, struct source_place *place);
