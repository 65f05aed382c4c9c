/* graph_parts: the parts of a node of the program graph, as a table for the screen: its contents,
 * with kind, name, line, values, share of its time as a number and a bar, and the spread over
 * locations; a communication statement by destination, a procedure by the call statements that call
 * it, any node by location. The number of columns depends on the width.
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
	PARTS_CONTAINED,  /* contents of the node; of a call: the procedures that it called */
	PARTS_BY_PARTNER, /* of a communication */
	PARTS_BY_CALLER,  /* of a procedure, and of a call that leads to one */
	PARTS_BY_CALLEE,  /* of a call that leads to several */
	PARTS_BY_LOCATION
};

/* How else than by its contents a node is broken down: by partner, caller or callee; nodes without
 * any of these by location. */
enum graph_parts_by graph_parts_own(const struct graph *graph, uint32_t node);
struct table *graph_parts_new(const struct graph *graph, const struct trace *trace, uint32_t node,
			      enum graph_parts_by by, struct graph_chosen chosen, int width);
