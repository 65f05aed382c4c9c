/* overhead_cost: what a record costs and what copying bytes costs, from the options or the trace's
 * header (A16, A19).
 *
 * What a record costs after its time stamp cannot be separated from what the next one costs before
 * its own, so costs are a table of neighbours, in ticks. Costs of function records are scaled by
 * their measured cost in a segment (overhead_classes.h).
 *
 *	struct overhead_cost cost;
 *	if (cost_read(&cost, trace, &options)) ...
 *	cost_fini(&cost); */
#pragma once

#include "correct/overhead/overhead.h"

/* Kinds of records, in the order of the header's table. */
enum cost_kind { COST_ENTER, COST_LEAVE, COST_MPI_ENTER, COST_MPI_LEAVE, COST_KINDS };

struct cost_copy {
	double bytes, per_byte; /* ticks */
};

/* A cost as it is estimated, at least, at most; ticks. */
struct cost_range {
	double best, low, high;
};

/* What a probe that only changes a row costs (tvrun --statistics), in a loop: an empty visit, and
 * what of it is inside of its own time. */
struct row_cost {
	double all, inside; /* ticks */
};

enum probe_kind { PROBE_PROCEDURE, PROBE_LOOP, PROBE_CALL, PROBE_KINDS };

struct overhead_cost {
	bool known;        /* of records */
	bool given;        /* by the option: one cost for all */
	bool inline_guard; /* an absent probe is a load and a branch in the function itself */
	double tick;       /* seconds */
	double pair[COST_KINDS][COST_KINDS]; /* ticks: kinds of the record before, and of this */
	double function;                     /* ticks a function record, as a loop measured it */
	double record;            /* ticks: the paper's O, mean over function records and MPI's */
	double delay;             /* ticks of it that a probe was made longer for an experiment */
	struct cost_range absent; /* the same where no segment of the run says more */
	struct cost_range work;   /* of a function's record beside work, as measured; 0 unknown */
	/* A note in a gap, against no probe at all; where gaps have none, what an absent one
	 * costs. And a probe that does nothing in a blank gap. */
	struct cost_range note, blank;
	struct row_cost rows[PROBE_KINDS]; /* 0: not measured */
	double iteration;                  /* ticks an iteration's probe */
	struct cost_range message; /* ticks a call's message, beyond a call without; 0 unknown */
	/* A visit of a procedure or a loop, as functions with some work measured it, and a call
	 * that only counts; 0 where that was not measured. */
	struct cost_range inside[2], around[2], count;
	double empty[2];        /* of an empty visit, inside of its own time */
	double cpu, wall;       /* nanoseconds that ranks had a processor, of how many; 0 unknown */
	double copy_each;       /* ticks a byte by the option; negative: the table */
	struct cost_copy *copy; /* [n_copy] ascending */
	size_t n_copy;
};

/* True where the cost of records is known. */
bool cost_read(struct overhead_cost *cost, const struct trace *trace,
	       const struct overhead_options *options);
/* What a function's record costs that takes so many ticks in a loop, where no segment of the run
 * says more: beside other work the processor hides part of it (doc/references.md). */
struct cost_range cost_uncalibrated(const struct overhead_cost *cost, double loop);
/* The same of a visit that changes a row alone: what is inside of its own time, and what is before
 * and after that; `part` and `whole` are in ticks of a loop. */
struct cost_range cost_of_visit(const struct overhead_cost *cost, double part, double whole);
struct cost_range cost_sum(struct cost_range a, struct cost_range b, double times_b);
/* All records cost the same number of ticks from now on. */
void cost_all(struct overhead_cost *cost, double ticks);
void cost_fini(struct overhead_cost *cost);

/* Ticks to copy so many bytes (cp); 0 where nothing is known. Costs a byte are interpolated
 * linearly between the sizes of the table and held at its ends (A16). */
double cost_of_copy(const struct overhead_cost *cost, uint64_t bytes);
/* Ticks between the stamps of two neighbouring records, where function records cost `factor` times
 * what they cost in a loop; never negative. */
double cost_between(const struct overhead_cost *cost, enum cost_kind before, enum cost_kind now,
		    double factor);
