/* graph_aid: the graph of a trace that must have one. */
#pragma once

#include "patterns/graph/graph.h"

/* The whole run, in one thread. */
extern const struct graph_options graph_whole;

struct graph *graph_of(const struct trace *t, const struct graph_options *options);
