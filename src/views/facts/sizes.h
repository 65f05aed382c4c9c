/* sizes: the bytes of a trace's events, and those that statement records instead of events would
 * need (paper 1, section 6.2). Kept with the trace. */
#pragma once

#include "patterns/graph/graph.h"
#include "views/query/view.h"

/* The sizes of the whole run. `wait`: computes them now if need be; else false until the thread of
 * the analyses has them. */
bool sizes_make(struct graph_sizes *sizes, const struct query *query, bool wait);
/* Computes and keeps them, for the trace's cache file. */
void sizes_prepare(struct trace *trace, enum time_base base);
