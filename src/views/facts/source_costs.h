/* source_costs: the costs of each line of a source file, from the program graph
 * (patterns/graph/graph.h).
 *
 * Each line has two times. `time` is inclusive, with loops and called procedures; of nodes inside
 * each other on one line the outermost counts. `own` is a partition: the time of a procedure or
 * loop outside all statements in it, the time of a call or communication statement; over the lines
 * of a procedure it sums up to the procedure's inclusive time. The *hot* lines are those with the
 * largest `own`, which together have nine tenths of the file's.
 *
 * Everything is copied: it outlives the graph. Pure. O(nodes of the file * log). */
#pragma once

#include "base/vec.h"
#include "patterns/graph/graph.h"

/* A line with at least one node of the graph. */
struct source_mark {
	uint32_t line;
	uint32_t first, n; /* in `nodes` */
	uint32_t kinds;    /* bits 1 << enum graph_kind */
	bool alone;        /* a statement here is not instrumented */
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
	int64_t own, most;             /* ticks: of all lines; of the line with most */
};

/* From the nodes of a file (string of the trace). The costs must be zeroed or finished before. */
void source_costs_make(struct source_costs *costs, const struct graph *graph, uint32_t file);
void source_costs_fini(struct source_costs *costs);
/* The mark of a line, NULL without; and the position of the first mark at or after it. */
const struct source_mark *source_costs_at(const struct source_costs *costs, uint32_t line);
size_t source_costs_from(const struct source_costs *costs, uint32_t line);
/* The `own` time of a node, ticks. */
int64_t source_own(const struct graph_node *node, const struct graph_values *values);
/* The node with a file that has the largest own time in the whole graph; GRAPH_NONE without. */
uint32_t source_hottest(const struct graph *graph);
