/* source_costs: what each line of a file cost, from the program graph (patterns/graph.h).
 *
 * Two times a line. `time` is inclusive: what was spent from there on, in loops and called
 * procedures, too; of nodes that stand in each other on one line the outermost counts. `own` is
 * a partition: what a procedure or loop spent in no statement below it, what a call statement or
 * a communication statement took; over the lines of a procedure it sums up to its inclusive
 * time. The *hot* lines are those with most of it, which together hold nine tenths of the
 * file's.
 *
 * Everything is copied: it outlives the graph. Pure. O(nodes of the file * log). */
#pragma once

#include "base/vec.h"
#include "patterns/graph/graph.h"

/* A line that the graph knows something of. */
struct source_mark {
	uint32_t line;
	uint32_t first, n; /* in `nodes` */
	uint32_t kinds;    /* bits 1 << enum graph_kind */
	bool alone;        /* something here has no probe */
	bool bar;          /* a loop of several lines begins */
	bool hot;
	uint64_t count;      /* of the outermost nodes */
	int64_t time, own;   /* ticks */
	int64_t trans, sync; /* of the outermost nodes */
};

struct source_loop {
	uint32_t line, end_line; /* both within it */
	uint32_t depth;          /* loops of the file around it */
};

struct source_costs {
	VEC(struct source_mark) marks; /* by line */
	VEC(uint32_t) nodes;           /* of the graph */
	VEC(struct source_loop) loops; /* by line, outer ones first */
	int64_t own, most;             /* of all lines; of the one with most */
};

/* Of the nodes of a file (string of the trace). The costs must be zeroed or finished before. */
void source_costs_make(struct source_costs *costs, const struct graph *graph, uint32_t file);
void source_costs_fini(struct source_costs *costs);
/* The mark of a line, NULL without; and the position of the first mark at or after it. */
const struct source_mark *source_costs_at(const struct source_costs *costs, uint32_t line);
size_t source_costs_from(const struct source_costs *costs, uint32_t line);
/* What a node itself costs, as `own` counts it. */
int64_t source_own(const struct graph_node *node, const struct graph_values *values);
/* The node that costs most by itself in the whole graph and has a file; GRAPH_NONE. */
uint32_t source_hottest(const struct graph *graph);
