/* explaining: explains a wait state, a visit or a message in sentences, each with the place that
 * Enter on it leads to.
 *
 * A wait state: the chain of its causes (patterns/causes/causes.h): which rank was late, what it
 * did meanwhile that the waiting rank did not, which rank it waited for itself, and so on until the
 * excess is work. The parts of the chain add up to the wait, with a line for the rest. A visit: its
 * share, how long visits of the region usually take, and how unusual this one is. A message: its
 * latency among those of its size, and the rank that waited for it.
 *
 *	struct explain e;
 *	explain_begin(&e, &query, &subject);
 *	while (explain_work(&e, &query))	... slices: exact numbers come at the end
 *		draw(e.lines);
 *	explain_fini(&e);
 *
 * Where several processes share the trace (model/trace/halo.h) all make the same calls, and the
 * same lines; but a line leads to an event only in the process that has it. The subject's location
 * is known to all, the rest of it to the location's process alone.
 *
 * Bounds: EXPLAIN_DEPTH waits below each other, EXPLAIN_NODES in total, none twice; the rest counts
 * as not explained. Starts the query's analysis if it was not started. */
#pragma once

#include "views/facts/phrases.h"
#include "views/facts/ranking.h"
#include "views/facts/wait_find.h"
#include "views/query/analyses.h"

enum { EXPLAIN_DEPTH = 16, EXPLAIN_NODES = 64, EXPLAIN_WORST = 5, EXPLAIN_HOPS = 16 };

struct explain_line {
	char *text;     /* clean; owned */
	char value[40]; /* shown at the end of the line: "28.0 ms  68 %"; clean */
	double ticks;   /* the part of the explained wait that the line is about, NAN: none */
	enum text_role role;
	uint8_t depth; /* levels of indentation */
	/* Where it leads. */
	uint32_t location; /* UINT32_MAX: nowhere */
	int64_t time;
	uint32_t event; /* EVENT_NONE: only a time is known */
	uint32_t wait;  /* of the location's list, which can be explained in its turn; UINT32_MAX
			   none */
	uint32_t path;  /* of the call that the line is about, UINT32_MAX none */
};

/* A step of the way from the wait through what it waited for to the work that made it late: the
 * largest ends, until these explain EXPLAIN_ENOUGH of it. */
struct explain_hop {
	char *text;   /* a sentence; owned */
	size_t line;  /* where it leads: that of this line */
	bool end;     /* there is no earlier cause: work, a transfer, or unknown */
	double share; /* of the wait: explained by the hops so far that are ends */
};

#define EXPLAIN_ENOUGH 0.8

struct explain_sum {
	double wait, explained; /* ticks */
	double inside;          /* of the rest: inside MPI, where no wait was found */
	double low, high;       /* bounds of the wait's length; NAN unknown */
};

struct explain {
	struct explain_subject subject;
	VEC(struct explain_line) lines;
	VEC(struct explain_hop) hops; /* the first is the wait; none without one */
	struct phrases p;             /* texts that the lines are made of */
	struct explain_sum sum;       /* of the chain of causes; 0 without one */
	bool waiting;                 /* for an analysis: begin again after analyses_told() */
	/* Of the statistics. */
	struct visits *visits; /* NULL: not needed, or in the lines already */
	struct latencies *latencies;
};

/* Makes the lines that are known at once. `explain` must be zeroed or finished before. */
void explain_begin(struct explain *explain, const struct query *query,
		   const struct explain_subject *subject);
/* Makes the chain of causes of the wait at an event of a location, all of it, once there is an
 * analysis. Where several processes share the trace, all call it; the event is known to that of the
 * location. */
void explain_wait(struct explain *explain, const struct query *query, uint32_t location,
		  uint32_t event);
/* Computes the slow lines for about `nanoseconds`; false when all lines are there. */
bool explain_work(struct explain *explain, const struct query *query, int64_t nanoseconds);
void explain_fini(struct explain *explain);

/* Finds the subject of an event: the wait that it ends or is within, its visit, its message. */
void explain_event(struct explain_subject *subject, const struct query *query, uint32_t event);
/* Finds the subject at a time of a location: the visit that is open there, and its wait. */
void explain_time(struct explain_subject *subject, const struct query *query, uint32_t location,
		  int64_t t);

/* ---- explaining_chain.c ---- */

/* Adds the chain of causes of the subject's wait; nothing if the subject has no wait. */
void explain_chain(struct explain *explain, const struct query *query,
		   const struct analysis *analysis, const struct causes *causes,
		   const struct wait_bounds *bounds);

/* ---- explaining_head.c ---- */

/* "rank 7 waited 41.2 ms in MPI_Recv (sweep.c:112): rank 3 sent late." `delayer`: the location that
 * was waited for, UINT32_MAX unknown. */
const char *explain_head(struct phrases *p, const struct wait_bounds *bounds, uint32_t location,
			 const struct wait *wait, uint32_t delayer);

/* ---- explain_work.c ---- */

/* How much of a REASON_WORK's excess was late inside MPI, 0 to 1. */
double explain_late_share(const struct reason *reason);
/* "spent 28.0 ms more than rank 7 in compute() (x.c:60): 3 calls instead of 1": a REASON_WORK. */
const char *explain_work_text(struct phrases *p, uint32_t waiter, const struct reason *reason);
/* Whether what it did more says why it was late: work, or a transfer; else it is time inside MPI in
 * which no wait was found. */
bool explain_is_work(const struct trace *trace, const struct reason *reason);

/* ---- explain_visit.c: in slices; the lines are added at the end ---- */

void explain_visit_begin(struct explain *explain, const struct query *query);
void explain_message_begin(struct explain *explain, const struct query *query,
			   const struct analysis *analysis);
bool explain_usual_work(struct explain *explain, const struct query *query, int64_t nanoseconds);
void explain_usual_fini(struct explain *explain);

/* ---- for the parts ---- */

/* Adds a line. */
struct explain_line *explain_add(struct explain *explain, unsigned depth, enum text_role role,
				 const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Sets the event that a line leads to. */
void explain_lead(struct explain_line *line, const struct query *query, uint32_t event);
/* "rank 3"; "another rank" where it is not known. */
const char *explain_who(struct phrases *p, uint32_t location);
