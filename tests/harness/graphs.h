/* graphs: what holds for the program graph of every trace, whatever it was made from. For tests and
 * fuzzing. */
#pragma once

#include "patterns/graph/graph.h"

/* The number of cycles of its procedures. */
uint32_t graph_cycles(const struct graph *graph);

/* NULL when all of it holds; else a sentence that says what does not (static text). Of the whole
 * run: sums over locations, callers, callees and destinations are those of their node; what
 * communications transmitted and waited is the program's; and, where it is made of events,
 * exclusive times are the traced time, those of communications the profile's. */
const char *graph_broken(struct trace *trace);
