/* graph_time: what 100 % is of the times in a program graph (query/time_share.h). Of records it is
 * what they have of the program, as nothing says which part of the run they are of. */
#pragma once

#include "patterns/graph/graph.h"
#include "views/query/time_share.h"

struct time_parts graph_time_whole(const struct query *query, const struct graph *graph);
/* `ticks` that are a node's, or a part of it, by where it was. On both kinds of locations they are
 * in halves: shares are of the sum. */
struct time_parts graph_time_parts(const struct graph *graph, uint32_t node, int64_t ticks,
				   struct time_parts whole);
double graph_time_share(const struct graph *graph, uint32_t node, int64_t ticks,
			struct time_parts whole);
