/* graph_parts: a node of the program graph broken down, as a table for the screen: its contents,
 * with kind, name, line, values, share of its time as a number and a bar, and the spread over
 * locations; a communication statement by destination, a procedure and what calls it by call
 * statement, anything by location. How many columns there are depends on the width.
 *
 * Borrows graph and trace; copies the locations. Making one costs O(rows log records); sorting by
 * spread and drawing a histogram O(locations) a row. */
#pragma once

#include "patterns/graph/graph.h"
#include "views/query/table.h"

struct graph_chosen {
	const uint32_t *locations; /* NULL: all */
	uint32_t n;
};

enum graph_parts_by {
	PARTS_CONTAINED,  /* what the node contains: a call the procedures that it called */
	PARTS_BY_PARTNER, /* of a communication */
	PARTS_BY_CALLER,  /* of a procedure, and of a call that leads to one */
	PARTS_BY_CALLEE,  /* of a call that leads to several */
	PARTS_BY_LOCATION
};

/* The break-down that a node has of its own; what has none by location. */
enum graph_parts_by graph_parts_own(const struct graph *graph, uint32_t node);
struct table *graph_parts_new(const struct graph *graph, const struct trace *trace, uint32_t node,
			      enum graph_parts_by by, struct graph_chosen chosen, int width);
