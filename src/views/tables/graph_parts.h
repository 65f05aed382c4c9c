/* graph_parts: a node of the program graph broken down, as a table for the screen: a communication
 * statement by destination, a procedure and what calls it by call statement, anything by location.
 *
 * Borrows graph and trace. Making one costs O(rows log records). */
#pragma once

#include "views/tables/graph_level.h"

enum graph_parts_by {
	PARTS_BY_PARTNER, /* of a communication */
	PARTS_BY_CALLER,  /* of a procedure, and of a call that leads to one */
	PARTS_BY_CALLEE,  /* of a call that leads to several */
	PARTS_BY_LOCATION
};

/* The break-down that a node has of its own; what has none by location. */
enum graph_parts_by graph_parts_own(const struct graph *graph, uint32_t node);
struct table *graph_parts_new(const struct graph *graph, const struct trace *trace, uint32_t node,
			      enum graph_parts_by by, struct graph_chosen chosen, int width);
