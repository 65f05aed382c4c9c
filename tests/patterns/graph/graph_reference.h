/* graph_reference: the program graph made a second time, slowly: every visit of every location as a
 * row of its own, sums by going over all of them, cycles by asking who reaches whom, waiting from
 * the wait states of an analysis. Nodes are told by texts (what it is, its region's name, file and
 * line, what it is in), so that it shares nothing with the graph's own tables. */
#pragma once

#include "patterns/graph/graph.h"

/* NULL where `graph`, made with these options, says the same; else a sentence (static). For traces
 * without statements of their own. */
const char *graph_differs(const struct graph *graph, const struct trace *trace,
			  const struct graph_options *options);
