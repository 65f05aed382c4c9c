/* core_wait: waiting for a core in a trace. tvrun asks the kernel at the begin and end of calls of
 * MPI, not more often than once in a millisecond, for how long the thread was ready to run and had
 * none: events with one metric, by whose name the set is known, nanoseconds so far.
 *
 * What was waited since the event before is taken to be in the stretch that ends at the event, from
 * the last begin or end of a call of MPI on: those before it lasted less than a millisecond
 * together. Where it was in that stretch is not known.
 *
 *	struct core_walk w;
 *	core_walk_begin(&w, trace);
 *	for each step `v` of a visit_walk:
 *		if (core_walk_step(&w, &v, &wait) == CORE_WALK_WAIT)
 *			...	wait.ticks in [wait.from, wait.to), outside of MPI
 *
 * O(1) for a step. Threads: it belongs to one. */
#pragma once

#include "model/trace/visit_walk.h"

#define CORE_WAIT_METRIC      "core wait"
#define CORE_WAIT_DESCRIPTION "time for which the thread was ready to run and had no core"

/* The set of metrics of such events, UINT32_MAX: the trace has none. */
uint32_t trace_core_wait_set(const struct trace *trace);

struct core_wait {
	int64_t from, to; /* ticks: the stretch outside of MPI */
	int64_t ticks;    /* of it, without a core: at most all; may be 0 */
};

enum core_walk_step {
	CORE_WALK_ON,
	CORE_WALK_BEGIN, /* a call of MPI ended: a stretch outside begins */
	CORE_WALK_WAIT,  /* one is over, and it is known for how long it was without a core */
	CORE_WALK_MPI,   /* the same of a call of MPI, with the short stretches just before it */
};

struct core_walk {
	const struct trace *trace;
	uint32_t set;
	uint32_t path; /* open, and whether it is MPI, or aside; UINT32_MAX: not yet */
	bool is_mpi, is_aside;
	int64_t boundary[2]; /* where calls of MPI began or ended: last, the one before */
	int64_t time;        /* ticks: of the last event, */
	uint64_t total;      /* and its nanoseconds */
	int64_t aside;       /* ticks since then of the library itself, MPI_Init and MPI_Finalize */
	int64_t waited, of;  /* ticks between events, inside of MPI, too, where less than half is
				aside: for a core, all */
	bool any;            /* there was an event */
};

/* In all, inside of MPI, too: from the first such event of each location to its last one; both 0
 * where it is not known. Where several processes share the trace, all call it. */
struct core_waited {
	double waited, of; /* ticks, of all locations together */
};
struct core_waited trace_core_waited(const struct trace *trace);

/* Ticks for which a location waited for a core in stretches outside of MPI, of those that reach
 * into [from, to) at most what is inside; -1: it is not known, or there are too many events.
 * O(events in there, and since the event before). */
int64_t trace_core_waited_in(const struct trace *trace, enum time_base base, uint32_t location,
			     int64_t from, int64_t to);

void core_walk_begin(struct core_walk *walk, const struct trace *trace);

/* What the step's event ends or begins. */
enum core_walk_step core_walk_event(struct core_walk *walk, const struct visit_walk *v,
				    struct core_wait *wait);

static inline enum core_walk_step core_walk_step(struct core_walk *walk, const struct visit_walk *v,
						 struct core_wait *wait)
{
	return walk->set != UINT32_MAX && !v->at_end ? core_walk_event(walk, v, wait)
						     : CORE_WALK_ON;
}
