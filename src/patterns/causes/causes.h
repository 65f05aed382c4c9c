/* causes: why there was waiting: delay costs, direct and propagating wait states, the critical
 * path, performance impact (C11, C18), and what the model of the POP project makes of it.
 *
 * A synchronisation point is an event at which a location met others; between two points that a
 * waiter and a delayer share both had the same chance: what the delayer did beyond the waiter is
 * the cause (8.3, 8.4), or the waiting that it did itself, whose cause is then followed. */
#pragma once

#include "patterns/analysis/analysis.h"

struct causes;

/* Those of an analysis with causes_pattern, which owns them; made when first asked for. NULL with
 * err, or untouched where progress dropped it. Needs the analysis alone at that call. */
const struct causes *causes_of(struct analysis *analysis, const struct progress *progress,
			       struct err *err);

/* What becomes of the waiting of the whole run, ticks: waited = charged + unexplained. */
struct causes_account {
	double waited;  /* wait states that delay costs are charged for */
	double charged; /* delay_*: to the work that caused them, at once or through other waits */
	double unexplained; /* the delayer did neither more nor wait: latency, clocks, what is
			       missing */
	uint64_t cut;       /* waits that wait for each other: the trace contradicts itself */
};
void causes_account(const struct causes *causes, struct causes_account *account);

/* Waiting that is charged to the work of a location in [from, to) of its time, ticks: the sums over
 * a location are those of the metric `delay`. In no order, each in the process that has the
 * location; of several processes all call it. False: stopped. */
typedef void causes_cost(void *context, uint32_t location, int64_t from, int64_t to, double ticks);
bool causes_costs(const struct causes *causes, causes_cost *on_cost, void *context,
		  const struct progress *progress);

/* The iterations of the run, searched for once, in the first caller's thread. NULL: stopped. Any
 * thread; of several processes all call it. */
struct iterations;
const struct iterations *causes_iterations(const struct causes *causes,
					   const struct progress *progress);
/* From now on those are the iterations that begin at visits of a region, or marks, of a name that
 * stays (the analysis' own name comes first); NULL: those that are found. Iterations that were
 * given out stay, too. */
void causes_iterate_by(const struct causes *causes, const char *name);

/* For tests: CAUSES_LITERAL repeats an error of SCOUT (A12: the sign of a completion time), to
 * compare with it. The first causes of an analysis decide. */
enum causes_reading { CAUSES_OWN, CAUSES_LITERAL };
struct causes *causes_new_as(struct analysis *analysis, enum causes_reading reading,
			     const struct progress *progress, struct err *err);
void causes_free(struct causes *causes);

/* The critical path as stretches of locations, by time: each begins where the one before ends, none
 * is negative (a few may be empty), and their lengths add up to the run's. See
 * critical_stretch.h. */
struct path_stretch {
	uint32_t location;
	int64_t from, to;             /* ticks */
	uint32_t wait_location, wait; /* the wait that the path left the next location at, by its
					 index in that location's list; UINT32_MAX: the end */
};
const struct path_stretch *causes_critical_path(const struct causes *causes, size_t *n);
/* The same where several processes share the trace (the above has none then): all of it in each;
 * the caller's. All processes call it. */
struct path_stretch *causes_shared_path(const struct causes *causes, size_t *n);

/* ---- explain: the chain of causes of one wait (section 8 without the sums) ---- */

enum reason_kind {
	REASON_WORK,        /* the delayer spent `excess` more than the waiter in `path` */
	REASON_WAIT,        /* the delayer waited itself: `wait` of its list; go on from there */
	REASON_UNEXPLAINED, /* what neither explains: latency, clocks, records that are missing */
};

/* Late inside MPI (kinds/late_inside.c). */
enum reason_late { LATE_NO_PROGRESS, LATE_DELIVERED, LATE_RELEASED, REASON_LATES };

struct reason {
	enum reason_kind kind;
	uint32_t location; /* the delayer */
	uint32_t path;     /* REASON_WORK */
	uint32_t wait;     /* REASON_WAIT: index in the delayer's list */
	double share;      /* ticks of the wait that it explains; they add up to its length */
	double excess;     /* ticks: d[c], or the length of the delayer's wait */
	double estimated;  /* ticks of both intervals in gaps (model/trace/gap.h), below `excess` */
	double others_time;            /* REASON_WORK: ticks of the waiter in `path` meanwhile */
	int64_t visits, others_visits; /* of `path`, by delayer and waiter; -1: not known */
	int64_t bytes, others_bytes;   /* of messages that were sent and received in these */
	int64_t late[REASON_LATES];    /* REASON_WORK: ticks of the delayer in `path` */
	uint32_t event; /* where to look: a visit of the path in the interval, the wait's event */
};

enum { REASONS = 12 };

struct explanation {
	uint32_t location, wait;        /* the waiter, and the index in its list */
	uint32_t delayer;               /* location, UINT32_MAX unknown */
	int64_t from, to;               /* ticks: the interval at the delayer that was compared, */
	int64_t others_from, others_to; /* and the waiter's */
	unsigned n;
	struct reason
		reasons[REASONS]; /* largest share first; what does not fit is in the unexplained */
};

/* False where the wait is of a kind that has no causes (completion, file, lock). Where several
 * processes share the trace all call it, and are told the same; events mean something to the
 * delayer's process alone, the others have none. */
bool causes_explain(const struct causes *causes, uint32_t location, uint32_t wait,
		    struct explanation *explanation);

/* ---- efficiencies (POP) ---- */

/* Of a cube with times, waits and causes. 0..1; NaN where not defined. Useful is the time outside
 * MPI, OpenMP, threads' libraries and the measurement (metric comp), of locations that run code.
 *
 * The network's influence is found by replaying the run on one that takes no time (ideal.h): what
 * remains beyond the longest useful time is serialisation, the time that is saved is transfer. Only
 * for the whole run and all locations; communication = serialisation * transfer. */
struct efficiency {
	double parallel;      /* load_balance * communication: mean useful time / run time */
	double load_balance;  /* mean / max over locations of useful time */
	double communication; /* max over locations of useful time / run time */
	double serialisation; /* max over locations of useful time / ideal run time */
	double transfer;      /* ideal run time / run time */
	double run_time;      /* ticks */
};
/* Replays the run on that network, once, in the first caller's thread, which costs about as much as
 * the wait states did; does nothing for a part of the run. False: progress stopped it, or err. Any
 * thread. */
bool causes_ideal(const struct causes *causes, int64_t t0, int64_t t1,
		  const struct progress *progress, struct err *err);
bool causes_has_ideal(const struct causes *causes);
/* Calls causes_ideal() if that was not done yet. */
void efficiency_of(const struct causes *causes, const struct cube *cube, const bool *chosen,
		   int64_t t0, int64_t t1, struct efficiency *efficiency);
