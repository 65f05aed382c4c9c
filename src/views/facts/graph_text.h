/* graph_text: names, values and sentences for a node of the program graph (patterns/graph/graph.h),
 * the bar of its time and its histogram over locations. Texts are clean and appended. Pure. */
#pragma once

#include "patterns/graph/graph.h"
#include "views/query/table.h"
#include "views/query/time_share.h"

/* "proc", "loop", "call", "comm". */
const char *graph_words_kind(const struct graph *graph, uint32_t node);
/* "sweep", "for", "inner()", "MPI_Send", "the program", with the marks of the node: " limited", "
 * in a recursion". */
void graph_words_name(const struct graph *graph, uint32_t node, struct str *out);
/* The name without marks. */
void graph_words_short(const struct graph *graph, uint32_t node, struct str *out);
/* "sweep.c:30", without folders; nothing if the line is unknown. */
void graph_words_place(const struct graph *graph, const struct trace *trace, uint32_t node,
		       struct str *out);
/* "3 times", "3 times and 1 from before the window", "1 from before the window". */
void graph_words_visits(const struct graph_values *values, struct str *out);
/* The values of a node as a line; `via`: the call that led to it, GRAPH_NONE without; `whole`:
 * 100 %. */
void graph_words_values(const struct graph *graph, const struct trace *trace, uint32_t node,
			uint32_t via, struct time_parts whole, struct str *out);
/* The source of the numbers (events, records); true if it deserves a warning. */
bool graph_words_origin(const struct graph *graph, const struct trace *trace, enum time_base base,
			bool window, bool filter, struct str *out);
/* A sentence with the facts of a node that the row of a table does not show. */
void graph_words_more(const struct graph *graph, const struct trace *trace, uint32_t node,
		      struct str *out);
/* "4 of 4 locations: from 1.2 ms (rank 3) to 3.1 ms (rank 0), mean 2.0 ms". */
void graph_words_spread(const struct graph *graph, const struct trace *trace, uint32_t node,
			struct str *out);

/* The parts of an inclusive time, and a bar of them: `whole` is its full width. */
enum { GRAPH_WORDS_PARTS = 3 };
extern const struct chart_part graph_words_parts[GRAPH_WORDS_PARTS];
void graph_words_bar(const struct graph_values *values, int64_t whole, struct table_chart *chart);
/* Inclusive times of a node by location, scaled to the largest: a column is a location, or the
 * mean of neighbours where `width` is less than their number. */
void graph_words_histogram(const struct graph *graph, uint32_t node, const uint32_t *locations,
			   uint32_t n, int width, struct table_chart *chart);
