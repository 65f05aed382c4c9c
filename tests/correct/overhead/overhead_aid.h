/* overhead_aid: made-up programs run twice, without and with measuring: the truth, and the trace
 * that records of known cost would have left of it. Both have the same events in the same order, so
 * that times are compared event by event. Ticks are picoseconds.
 *
 * A record costs half before its stamp and half behind it. Records of a function cost what the
 * function says, in truth; the trace's header says what a loop measured. */
#pragma once

#include "base/vec.h"
#include "correct/overhead/overhead.h"
#include "model/trace/trace.h"

enum { AID_FUNCTIONS = 4 };

enum aid_op {
	AID_WORK,      /* ticks */
	AID_FUNCTION,  /* number, ticks inside: enter, work, leave */
	AID_OPEN,      /* number: enters it, ... */
	AID_CLOSE,     /* ... and leaves it; one level at most, and no further than one call */
	AID_INTERRUPT, /* ticks: another program runs, in the measured run alone */
	AID_FLUSH,     /* ticks: the measurement at work on itself; nothing in truth */
	AID_SEND,      /* partner, ticks in the call, bytes */
	AID_RECV,      /* partner, bytes */
	AID_IRECV,     /* partner, bytes */
	AID_WAITALL,   /* all posted receives */
	AID_SENDRECV,  /* send to partner, receive from partner2 */
	AID_SELF,      /* sends itself a message, and receives it */
	AID_BARRIER, /* ticks inside it that the measurement takes for itself, of any collective */
	AID_ALLREDUCE,
	AID_BCAST,  /* partner: root */
	AID_REDUCE, /* partner: root */
	AID_SCAN,
	AID_OPS
};

struct aid_step {
	enum aid_op op;
	int partner, partner2;
	int64_t ticks;
	uint64_t bytes;
};

struct aid_program {
	uint32_t ranks;
	VEC(struct aid_step) * steps; /* [ranks] */
	/* what things take, in ticks */
	int64_t latency; /* of a message */
	int64_t receive; /* of a receive whose message is there */
	int64_t sync;    /* of a collective behind its last comer */
	/* what recording takes */
	int64_t function[AID_FUNCTIONS]; /* a record of a function */
	int64_t call;                    /* a record of an MPI call */
	int64_t loop; /* a function's record as the header has it; 0: no header */
	double skip;  /* share of segments without probes, or of gaps: */
	int64_t note; /* a function's record in a gap of which the clock is not read; 0: no probes */
	uint64_t seed;
	int cores;  /* of the one node, as the header has it; 0: not known, ... */
	int slower; /* ... and so many times longer than its ranks had cores; 0: not known */
};

struct aid_program *aid_new(uint32_t ranks);
void aid_free(struct aid_program *program);
void aid_add(struct aid_program *program, uint32_t rank, struct aid_step step);
/* A call of its function, n times. */
void aid_call(struct aid_program *program, uint32_t rank, int function, int64_t ticks, int n);

/* All records of functions cost that, and those of calls twice as much; the header says so. */
void aid_one_cost(struct aid_program *program, int64_t cost);

struct aid_trace {
	struct trace *trace;
	int64_t **truth;   /* [ranks][event ordinal]: true time */
	int64_t true_span; /* first to last event */
	int64_t true_wait; /* of all ranks in calls */
};

struct aid_trace aid_run(const struct aid_program *program);
void aid_trace_fini(struct aid_trace *t);

/* Its compensated times; options NULL: the defaults. The report is the caller's to end. */
struct overhead_report aid_compensate(const struct aid_trace *t,
				      const struct overhead_options *options);

/* Largest distance of a base's times from the truth, in ticks; both start with rank 0's first
 * event. */
int64_t aid_error(const struct aid_trace *t, enum time_base base);
/* A program drawn from a seed: functions, messages, collectives of every class. */
struct aid_program *aid_random(uint64_t seed, uint32_t ranks, uint32_t rounds);
