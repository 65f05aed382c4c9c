/* graph_state: what the files that make a program graph share.
 *
 * In this order: nodes of the trace's statements and of its call paths (graph_nodes.c), rows of
 * events (graph_walk.c, with what graph_ready.c knows of collectives; graph_gather.c) or of the
 * trace's records (graph_records.c), cycles and what hangs on them (graph_cycles.c), then the rows
 * in order, totals and lists (graph_order.c). After that a graph does not change. */
#pragma once

#include <stdatomic.h>

#include "base/keymap.h"
#include "base/lists.h"
#include "base/vec.h"
#include "model/trace/piece.h"
#include "patterns/analysis/calls.h"
#include "patterns/graph/graph.h"

/* Numbers of a node on a location: of a procedure by the call statement that it was entered from,
 * of a communication by destination. `statement` and `from` are nodes (GRAPH_NONE: from
 * outside). */
struct graph_row {
	struct statement_record r;
	uint64_t told;    /* of r.count: split into waiting and transfer by matching */
	uint64_t earlier; /* visits that go on in the window, but began before it */
	bool happened;    /* not only something in it that a filter selects */
	int64_t estimated, estimated_own;     /* ticks of r.time, r.exclusive (model/trace/gap.h) */
	struct cost_range probes, probes_own; /* ticks taken out of r.time, r.exclusive */
	double caused;                        /* ticks of its own probes */
};

struct graph_rows {
	struct graph_row *data;
	size_t n, cap;
};

/* Where in the program a call path is. */
struct graph_place {
	uint32_t node; /* procedure, loop, communication */
	uint32_t from; /* of a procedure: the call node, GRAPH_NONE outside */
};

struct graph {
	unsigned sharers; /* owners beside the first */
	const struct trace *trace;
	struct graph_options options;
	unsigned jobs;
	bool whole;   /* neither window nor filter */
	bool *chosen; /* [locations] */
	uint32_t n_chosen;

	uint32_t statements; /* nodes 1 .. statements are the trace's */
	VEC(struct graph_node) nodes;
	struct graph_place *places; /* [call paths]; NULL once the rows are made */

	struct graph_rows *made; /* [locations], while they are made */
	struct graph_row *rows;  /* by node, location, from, partner, communicator */
	size_t n;
	size_t *start;        /* [nodes + 1] into rows */
	struct lists entries; /* by call node: rows of the procedures that it entered */

	VEC(uint32_t)
	owner; /* [nodes] the procedure that contains a node, itself, or GRAPH_PROGRAM */
	struct lists children;
	struct lists cycles; /* by cycle: procedures */
	uint32_t n_cycles;
	uint32_t *group; /* [nodes] of a procedure: the same in one cycle, callees before callers */
	struct graph_values *totals;       /* [nodes] over the chosen locations */
	struct graph_values *cycle_totals; /* [cycles] */
	uint32_t *by_line;                 /* [nodes] in the order of file and line */
	struct str names;                  /* of calls: "inner()", one after the other */
	size_t *name;                      /* [nodes] where in `names`, SIZE_MAX: nowhere */

	struct graph_origin origin;
	struct graph_sizes sizes;
	struct piece piece; /* rows of events that may be kept; empty: none */
};

static inline struct graph_node *graph_at(const struct graph *graph, uint32_t node)
{
	return &graph->nodes.data[node];
}

/* A row whose procedure was entered from inside its own cycle: it has counts, but no time. */
static inline bool graph_is_inside(const struct graph *graph, const struct statement_record *r)
{
	const uint32_t cycle = graph_at(graph, r->statement)->cycle;

	return r->from != GRAPH_NONE && cycle != GRAPH_NONE &&
	       graph_at(graph, graph->owner.data[r->from])->cycle == cycle;
}

/* Adds to a sum that stays at the largest value. */
void graph_add(int64_t *sum, int64_t time);
/* Sums up rows, of any nodes and locations. */
void graph_values_add(struct graph_values *values, const struct graph_row *row);
/* The same of an entry of a call statement: inside a cycle it has counts alone. */
void graph_entry_add(const struct graph *graph, struct graph_values *values,
		     const struct graph_row *row);

/* ---- graph_nodes.c ---- */

/* A dynamic record in the form of capture (capture/lib/statistic.h). */
enum { GRAPH_RECORD_BYTES = 128 };

void graph_nodes_make(struct graph *graph);
/* Where call paths are; adds nodes for what the statements do not have. */
void graph_places_make(struct graph *graph);

/* ---- graph_ready.c: who waited for whom in collectives ---- */

enum graph_told { TOLD_NOT, TOLD_OWN, TOLD_MATCHED };

/* What one party of a collective knows of it. */
struct graph_party {
	int64_t start, length; /* ticks: synchronisation */
	uint32_t collective;   /* row, UINT32_MAX none */
	uint8_t told;          /* enum graph_told */
};

/* The MPI_Finalize of a location. */
struct graph_finalize {
	bool told;
	uint32_t enter; /* event */
	int64_t length; /* ticks: synchronisation, from its enter on */
};

struct graph_ready {
	struct analysis *analysis; /* that found it: free it, and all of this goes */
	const struct calls *calls;
	const struct graph_finalize *finalizes; /* [locations] */
	struct graph_party *parties;            /* [members] */
	uint32_t n_parties;
};

/* NULL: stopped, or err. */
const struct graph_ready *graph_ready(const struct graph *graph, const struct progress *progress,
				      struct err *err);

/* ---- graph_walk.c ---- */

/* Rows of the chosen locations' events into graph->made. False: stopped. */
bool graph_walk(struct graph *graph, const struct graph_ready *ready,
		const struct progress *progress);

/* ---- graph_gather.c ---- */

/* Rows that several processes made of their own locations (base/exchange.h): each gets those of
 * all. All processes call it. */
void graph_gather(struct graph *graph);

/* ---- graph_keep.c ---- */

/* Takes the rows of events that the trace keeps; false: there are none. */
bool graph_rows_kept(struct graph *graph);
/* Copies them before anything is made of them. */
void graph_rows_copy(struct graph *graph);

/* ---- graph_records.c ---- */

/* Rows of the trace's records into graph->made. */
void graph_records_take(struct graph *graph);
/* The program's row; needs all others. */
void graph_records_program(struct graph *graph);
/* What events do not say, of the whole run: iterations, and statements that are not all in the
 * events. */
void graph_records_complete(struct graph *graph);
/* Transfer and waiting of nodes that contain others, location by location; needs cycles. */
void graph_records_share(struct graph *graph);

/* ---- graph_unsplit.c ---- */

/* Marks what contains calls whose waiting the records, of a run with events, do not have; needs all
 * values. */
void graph_unsplit_mark(struct graph *graph);

/* ---- graph_probes.c: what probes cost is taken out of records ---- */

struct graph_probes {
	struct graph *graph;
	struct overhead_cost cost;
	struct row_cost limited[PROBE_KINDS]; /* of visits without events */
	struct cost_range slowed;  /* as many times: probes waited for a processor, too */
	struct cost_range *around; /* [nodes] directly in it, around the time of its contents */
	int64_t *exclusive;        /* [nodes] of their rows */
	uint64_t *count;           /* [nodes] executions of loops, on the location */
	bool *calling;             /* [nodes] something in it is called through a probe */
	bool alone;                /* there are no events */
};

/* False: the trace does not say what they cost, or it has events and the options do not ask for the
 * costs of its records. */
bool graph_probes_begin(struct graph_probes *probes, struct graph *graph);
void graph_probes_end(struct graph_probes *probes);
/* Before all else of a location. */
void graph_probes_count(struct graph_probes *probes, const struct graph_rows *rows);
/* Of the visits of a row: inside of their own time, and around it. Notes what they cause. */
void graph_probes_of(const struct graph_probes *probes, struct graph_row *row,
		     struct cost_range *inside, struct cost_range *around);
/* The node that a row's visits are directly in. */
uint32_t graph_row_within(const struct graph *graph, const struct statement_record *r);
/* Takes row->probes, all of a location being known, out of its rows. */
void graph_probes_take(struct graph_probes *probes, struct graph_rows *rows);

/* The trace's records of a location that has rows; they begin as { 0 }. */
struct graph_run {
	uint32_t location;
	size_t first, end;
	struct keymap rows; /* (node, from) -> row of the location, of procedures and loops */
};
/* The next such location; false after the last. */
bool graph_run_next(const struct graph *graph, struct graph_run *run);
/* `part` is to `whole` as the result is to `all`, and no more than that. */
int64_t graph_share_of(int64_t all, int64_t part, int64_t whole);
/* The row of a record; false if no statement could have such a record. */
bool graph_record_take(const struct graph *graph, const struct statement_record *record,
		       struct graph_row *row);

/* ---- graph_lines.c ---- */

/* Lines of calls that events do not know. */
void graph_lines_tell(struct graph *graph);

/* ---- graph_unmeasured.c ---- */

/* Rows of nodes without any that contain nodes with rows; while call paths are placed. */
void graph_unmeasured_make(struct graph *graph);

/* ---- graph_cycles.c ---- */

/* Cycles of the calls in graph->made, and the order; takes the time of calls inside of them. */
void graph_cycles_make(struct graph *graph);

/* ---- graph_order.c ---- */

void graph_order_make(struct graph *graph);
