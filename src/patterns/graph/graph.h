/* graph: the program graph (paper 1: Li and Zhang, sections 5 and 6): program, procedures, loops,
 * call statements, communication statements, with what each cost, by location and by destination.
 *
 * Nodes are places in the program, not call paths: a procedure is one node with the sum over all
 * its callers, and so is what it contains; a call statement has what the
 * procedure cost when it was activated from there (proc_record), so that no average is spread over
 * callers as gprof does. Every number is a sum of records of the shape of model/trace/program.h:
 *
 *   - of a trace with events they are made from these, for a window, a filter, a choice of
 *     locations, in a time base;
 *   - of one without (tvrun --statistics), or with `records`, they are the trace's own, of the
 *     whole run; filter and window then do not apply, locations do.
 *
 * Statements are the trace's where it has any, and what its call paths and call sites tell where it
 * has none: a user region is a procedure, one of OTF2's role loop a loop, a call of communication
 * at a line a communication statement, the line that a region was entered from a call statement.
 *
 * Recursion (section 5.3): a call statement within a cycle of the call graph has no record; its
 * time is in that of the statement outside of the cycle, and the procedures of a cycle are one
 * procedure to their callers. Such call nodes are flagged and have counts, but no time. Cycles are
 * the strongly connected components of the calls that happened; a procedure that calls itself is
 * one. A procedure that is entered from inside its cycle alone has no time, but its exclusive time,
 * which is every activation's own.
 *
 * Window and filter are the profile's (model/sums/profile.h): what begins in the window counts, of
 * time it is the part inside; visits that match the filter have numbers, the others only what was
 * transmitted and waited in them. No event counts iterations: for the whole run they come from the
 * trace's own records, else they are unknown. Statements of which some visits are not events
 * (RECORD_LIMITED) have the numbers of their records, and their caller's exclusive time is without
 * them; in a window they are incomplete.
 *
 * A procedure or loop that nothing was recorded of (no probe; found by the calls of MPI in it) has
 * the time of its known contents, and no count (GRAPH_UNVISITED); such a procedure is placed below
 * the program. Functions found on the stack of calls have no count either.
 *
 * Calls whose line no event has (hooks) are placed at the lines of the trace's records where these
 * count as often, of the whole run; of a part of it at the only line that there is.
 *
 * The program's time is the traced time of the locations; its exclusive time is outside of all
 * statements.
 *
 * Waiting (sync) and transfer (trans; section 4, synchronisation and transmission): waiting is the
 * part of the call until its partner was ready (message: the sender entered its send, or the
 * receiver its receive; collective: the last of those it waits for entered, root or all, by the
 * operation's class), at most the whole call; transfer is the rest. What could not be split is in
 * neither. The definitions are those of the wait states (lateness.h, sync.h). Where records have
 * them for communications alone, what contains these shares them by time.
 *
 * A call with several partners (MPI_Waitall) has a row of PARTNER_MANY, a rooted collective one of
 * its root, a call with none one of RANK_UNKNOWN; MPI_Sendrecv with two has two, of which that of
 * the one it received from has the time. What was received counts where it was asked for
 * (MPI_Irecv).
 *
 * Of a trace that several processes share (base/exchange.h) each has the graph of all locations.
 * All of them make it, with the same options.
 *
 * Ownership: borrows the trace. Threads: any number may ask. Errors: NULL with err; NULL with err
 * untouched where progress stopped it. */
#pragma once

#include "base/progress.h"
#include "correct/overhead/overhead_cost.h"
#include "model/filter/filter.h"
#include "model/trace/program.h"

struct graph;

#define GRAPH_NONE    UINT32_MAX
#define GRAPH_PROGRAM 0u /* the node that is the program */

struct graph_options {
	enum time_base base;
	int64_t t0, t1; /* INT64_MIN, INT64_MAX: the whole run */
	const struct filter *filter;
	const uint32_t *locations; /* chosen, NULL all */
	uint32_t n_locations;
	bool records; /* the trace's own, also where it has events; */
	bool costs;   /* and what its probes cost is taken out of them there, too */
	int jobs;     /* threads at most, 0: as many as cores */
	bool kept;    /* the rows may be those that are kept with the trace (graph_keep()) */
};

struct graph *graph_new(const struct trace *trace, const struct graph_options *options,
			const struct progress *progress, struct err *err);
/* Keeps what was computed of the events of a whole run with its trace (model/trace/piece.h), from
 * which a graph is made at once: nothing where it is of a part, or was kept already. Threads: as
 * keep_give(). */
void graph_keep(struct graph *graph);
bool graph_is_kept(const struct trace *trace, enum time_base base);
/* One more owner; graph_free() by the last one ends it. Owners are of one thread. */
struct graph *graph_share(const struct graph *graph);
void graph_free(struct graph *graph);

/* Where the numbers come from, and which options they ignore. */
struct graph_origin {
	bool records;      /* from the trace's own, not from events */
	bool whole;        /* of the whole run, although a window or a filter was given */
	bool tables;       /* statements are the program's own (tvcc), not made from call paths */
	bool incomplete;   /* events are missing (full buffer, partial load); no records instead */
	uint64_t limited;  /* statements so frequent that their numbers are from records, not from
			     events */
	uint64_t alone;    /* statements without a probe */
	uint64_t untimed;  /* small procedures without a probe, and loops that are only counted */
	uint64_t loopless; /* files in which only procedures are instrumented: their loops are
			      unknown */
	uint64_t callless; /* of `alone`: places of calls that are not counted */
	bool compensated;  /* what probes cost is taken out of the records' times */
	bool unsplit;      /* records of a run with events: those alone have the waiting */
};
void graph_origin(const struct graph *graph, struct graph_origin *origin);

enum graph_kind {
	GRAPH_KIND_PROGRAM,
	GRAPH_KIND_PROCEDURE,
	GRAPH_KIND_LOOP,
	GRAPH_KIND_CALL,
	GRAPH_KIND_COMMUNICATION
};
/* "program", "procedure", "loop", "call", "communication". */
const char *graph_kind_name(enum graph_kind kind);

enum graph_flag {
	GRAPH_CYCLE = 1 << 0,   /* of a procedure: is in a cycle; of a call: leads from a cycle into
				   the same */
	GRAPH_ALONE = 1 << 1,   /* has no probe */
	GRAPH_POINTER = 1 << 2, /* a call through a pointer */
	GRAPH_LIMITED = 1 << 3, /* numbers from records, not from events */
	GRAPH_UNCOUNTED = 1 << 4, /* a loop whose iterations were not counted */
	GRAPH_OVERHEAD = 1 << 5,  /* tool overhead: not on the hottest path */
	GRAPH_UNTIMED = 1 << 6,   /* a loop of which only counts are known; with GRAPH_ALONE: of a
				     small procedure */
	GRAPH_UNVISITED = 1 << 7, /* known by calls in it alone: how often it was entered is not */
	GRAPH_UNPLACED = 1 << 8,  /* a call of which events do not say which line it is at */
	GRAPH_UNSPLIT = 1 << 9,   /* contains calls whose waiting the records do not have */
	GRAPH_ENDS = 1 << 10,     /* starts or ends MPI: not on the hottest path, either */
};

struct graph_node {
	uint8_t kind;   /* enum graph_kind */
	uint16_t flags; /* enum graph_flag */
	uint16_t column;
	uint32_t line, end_line; /* 0 unknown */
	uint32_t name, file;     /* strings of the trace; the program's name is 0 */
	uint32_t parent; /* the procedure or loop that contains it, the program; GRAPH_NONE of the
			    program */
	uint32_t callee; /* of a call: the procedure; GRAPH_NONE several or unknown */
	uint32_t statement; /* NO_STATEMENT: made from call paths */
	uint32_t cycle;     /* number of the cycle a procedure is in, GRAPH_NONE */
	uint32_t reason;    /* string: why it has no probe */
};

uint32_t graph_node_count(const struct graph *graph);
const struct graph_node *graph_node(const struct graph *graph, uint32_t node);
/* What a node contains, by line: of the program the procedures that are entered from outside and
 * what was called outside of all. A call contains the procedure that it activates. *n rows. */
const uint32_t *graph_children(const struct graph *graph, uint32_t node, uint32_t *n);
/* Short text for people: "sweep", "for", "inner()", "MPI_Send"; as in the trace, to be
 * cleaned. */
const char *graph_name(const struct graph *graph, uint32_t node);
/* "sweep/for:30/MPI_Send:33", clean: the statements that contain it; of deeper nests ".../" and the
 * last levels. The program is "". */
enum { GRAPH_PATH_LEVELS = 128 };
void graph_path(const struct graph *graph, uint32_t node, struct str *out);

struct graph_values {
	uint64_t count, inner; /* as in statement_record */
	uint64_t earlier;      /* visits that go on in the window, but began before it */
	uint64_t iterations;   /* where they were counted */
	int64_t iterated;      /* ticks: time of the locations that counted iterations */
	int64_t time, exclusive, trans, sync; /* ticks */
	int64_t min, max;                     /* ticks, of one; 0 without any */
	double quickest, slowest;             /* ticks, of an iteration */
	uint64_t own;                         /* of count: does not wait, all is transfer */
	uint64_t sent, received;              /* bytes */
	uint64_t told;                        /* of count: split by the partner's time */
	uint64_t carried; /* of told: it came while the program ran, not by matching */
	int64_t estimated,
		estimated_own; /* ticks of time, exclusive: in gaps (model/trace/gap.h) */
	/* Ticks of measurement overhead, taken out (graph_probes.c) of time, of exclusive; that of
	 * the node's own probes, wherever it is. */
	struct cost_range probes, probes_own;
	double caused;
	uint32_t flags; /* enum statement_record_flag */
};

/* Whether count and inner say how often the node was entered. */
static inline bool graph_counts_visits(const struct graph_node *node)
{
	return !(node->flags & (GRAPH_ALONE | GRAPH_UNVISITED | GRAPH_UNPLACED));
}

/* Whether its time is known: a cycle's counts at another call; nodes without a probe were not
 * recorded. */
static inline bool graph_is_timed(const struct graph_node *node)
{
	return !(node->flags & (GRAPH_ALONE | GRAPH_UNTIMED | GRAPH_UNPLACED)) &&
	       !(node->kind == GRAPH_KIND_CALL && (node->flags & GRAPH_CYCLE));
}

/* Whether transmission and synchronisation are known; of MPI_Init, MPI_Alltoallv nothing says whom
 * they wait for, of others (GRAPH_UNSPLIT) it is in events that the trace does not have. */
static inline bool graph_is_split(const struct graph_node *node, const struct graph_values *values)
{
	return graph_is_timed(node) && !(node->flags & GRAPH_UNSPLIT) &&
	       (node->kind != GRAPH_KIND_COMMUNICATION || !values->count ||
		values->own + values->told > 0 || values->sync || values->trans);
}

/* Over the chosen locations. Waiting and transfer of a node that contains others are the sum of
 * those below it, through calls; of a procedure over all callers. */
void graph_values(const struct graph *graph, uint32_t node, struct graph_values *values);
/* Mean time of an iteration, in ticks; 0 where none was counted. */
double graph_iteration_time(const struct graph_values *values);
/* On one location; zeros where it never was there. */
void graph_values_at(const struct graph *graph, uint32_t node, uint32_t location,
		     struct graph_values *values);
/* Inclusive time over the chosen locations, in ticks; locations that never were there count as
 * 0. */
struct graph_spread {
	int64_t min, max;
	double mean;
	uint32_t min_at, max_at; /* locations */
	uint32_t there, of;      /* locations that were there, and that could be */
};
void graph_spread(const struct graph *graph, uint32_t node, struct graph_spread *spread);
/* Copies those of `n` locations (NULL: the first n) that the spread counts; returns how many. */
uint32_t graph_reach(const struct graph *graph, uint32_t node, const uint32_t *locations,
		     uint32_t n, uint32_t *reached);
/* Whether it was on locations that run code, and on streams of devices. */
void graph_presence(const struct graph *graph, uint32_t node, bool *hosts, bool *streams);

/* By where from (of a procedure: a row for each call statement, GRAPH_NONE outside), by what was
 * called (of a call: procedures), by destination (of a communication: world rank and communicator).
 * Most time first. location UINT32_MAX: all chosen. */
struct graph_part {
	uint32_t node;   /* call statement, procedure; GRAPH_NONE */
	int32_t partner; /* world rank, PARTNER_MANY, RANK_UNKNOWN */
	uint32_t comm;   /* UINT32_MAX unknown */
	struct graph_values values;
};
uint32_t graph_callers(const struct graph *graph, uint32_t procedure, uint32_t location,
		       struct graph_part **parts /* the caller's */);
uint32_t graph_callees(const struct graph *graph, uint32_t call, uint32_t location,
		       struct graph_part **parts);
uint32_t graph_destinations(const struct graph *graph, uint32_t communication, uint32_t location,
			    struct graph_part **parts);

/* The node in which most time of this one was spent, one level down; GRAPH_NONE where it has
 * nothing below. */
uint32_t graph_hottest(const struct graph *graph, uint32_t node);

/* A cycle, by its number in the nodes: its *n procedures, and its costs for callers outside (paper
 * 1, rule b). */
const uint32_t *graph_cycle(const struct graph *graph, uint32_t cycle, uint32_t *n);
void graph_cycle_values(const struct graph *graph, uint32_t cycle, struct graph_values *values);

/* The nodes of a file (string of the trace) by line; *n. For sources. */
const uint32_t *graph_lines(const struct graph *graph, uint32_t file, uint32_t *n);

/* Size comparison (section 6.2): what the events of the trace take as records of capture's
 * (capture/lib/record.h: 32 bytes the enter of a call of MPI, a message's end, the begin of a
 * collective; 16 all else), and what the dynamic records take (capture/lib/statistic.h: 128 bytes
 * each, with their event_record). The records are the trace's own where it has any, else those that
 * the graph was made of: of a window no more than happened in it. */
struct graph_sizes {
	uint64_t events,
		event_bytes; /* of the chosen locations, whole run; 0 where there are none */
	uint64_t records, record_bytes; /* event_records and what hangs below them */
};
void graph_sizes(const struct graph *graph, struct graph_sizes *sizes);
/* The same without a graph: records are the trace's own. `chosen` [locations], NULL all. One fast
 * pass over the kinds of the events. */
void graph_sizes_of_trace(const struct trace *trace, const bool *chosen, struct graph_sizes *sizes);
