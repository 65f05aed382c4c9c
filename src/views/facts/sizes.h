/* sizes: what a trace's events take, and what records by statement instead of events would take
 * (paper 1, section 6.2). Kept with the trace. */
#pragma once

#include "patterns/graph/graph.h"
#include "views/query/view.h"

/* A trace without events, but with records by statement (tvrun --statistics). */
bool sizes_records_only(const struct trace *trace);

/* Of the whole run. `wait`: made now, where they are not there; else false until the thread of
 * the analyses has them. */
bool sizes_make(struct graph_sizes *sizes, const struct query *query, bool wait);
/* Has them made and kept, for the trace's cache file. */
void sizes_prepare(struct trace *trace, enum time_base base);
