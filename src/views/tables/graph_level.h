/* graph_level: what a node of the program graph contains, as a table for the screen: a row each
 * with its kind, name, line, values, share of the node's time as a number and a bar, and the spread
 * over locations. How many columns depends on the width.
 *
 * Borrows graph and trace; copies the locations. Making one costs O(children); sorting by spread
 * and drawing a histogram O(locations) a row. */
#pragma once

#include "patterns/graph/graph.h"
#include "views/query/table.h"

struct graph_chosen {
	const uint32_t *locations; /* NULL: all */
	uint32_t n;
};

struct table *graph_level_new(const struct graph *graph, const struct trace *trace, uint32_t node,
			      struct graph_chosen chosen, int width);
