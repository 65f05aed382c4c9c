/* diagnosis: the result of the analysis (patterns/analysis/analysis.h) in brief: the kinds of
 * waiting that cost most, where, and their causes; efficiencies; imbalance; the locations that
 * wait, and those that make others wait.
 *
 * A value of fixed size: that of the whole run is kept with the trace (model/trace/keep.h), so that
 * the first screen of a trace that was looked at before has it at once. */
#pragma once

#include "patterns/analysis/analysis.h"
#include "patterns/causes/imbalance.h"
#include "patterns/causes/naming.h"
#include "views/facts/largest.h"
#include "views/query/time_share.h"
#include "views/query/view.h"

enum { DIAGNOSED_WAITS = 8, DIAGNOSED_RANKS = 8, DIAGNOSED_PATHS = 3 };

struct diagnosed_wait {
	uint8_t metric; /* enum cube_metric */
	uint8_t pad[7];
	uint64_t count;          /* instances */
	double sum;              /* ticks */
	struct time_parts parts; /* of `sum`, by where it is waited */
	double lower, upper;     /* of the compensated base; equal to `sum` without bounds */
	struct largest at;       /* the call path in which most is waited */
	struct largest who;      /* the location that waits most */
	double costs;            /* ticks of `sum` that delay costs charge to a location */
	struct largest culprit;  /* the location with the largest delay costs, */
	struct largest cause;    /* and its call path with the largest */
	uint32_t worst_location,
		worst_event;    /* the longest instance; UINT32_MAX, EVENT_NONE none. Where several
				   processes share the trace, an event of the location's */
	uint32_t worst_partner; /* location that was waited for, UINT32_MAX unknown */
	uint32_t worst_path;
	int64_t worst_begin, worst_length;
};

struct diagnosed_rank {
	uint32_t location, pad;
	double comp, mpi, waits, costs; /* ticks */
};

struct diagnosis {
	uint32_t n, n_ranks;
	struct diagnosed_wait waits[DIAGNOSED_WAITS]; /* the costliest first, completion last */
	struct time_parts waiting; /* all waiting of MPI, threads and devices, without completion */
	struct cause_names names;  /* of all locations */
	double time, comp;         /* ticks */
	struct efficiency efficiency; /* of the whole, */
	struct efficiency
		core; /* and between MPI_Init and MPI_Finalize (run_core.h); NAN: no such part */
	/* Call paths by their overload, if worth saying; then the function with most time. */
	struct imbalance imbalance[IMBALANCES];
	uint32_t n_imbalance, imbalance_pad;
	double underload;
	struct largest
		critical[DIAGNOSED_PATHS]; /* call paths by their part of the critical path */
	double critical_path;
	struct diagnosed_rank ranks[DIAGNOSED_RANKS]; /* that wait most, or cause most */
	struct analysis_counts counts;
	char grid[256]; /* what is known of the grid of ranks, sentences; "" nothing */
	bool guessed;   /* the grid is a guess */
	uint8_t pad[7];
};

enum diagnosis_state {
	DIAGNOSIS_NONE,    /* no analysis, or it was stopped, or failed (err) */
	DIAGNOSIS_LOOKING, /* not yet: the analysis is on its way */
	DIAGNOSIS_THERE,
};

/* For the query's window and locations. `wait`: until the analysis is done; else only what is kept,
 * or follows at once from a finished analysis. */
enum diagnosis_state diagnosis_make(struct diagnosis *diagnosis, const struct query *query,
				    bool wait, struct err *err);
/* Makes the diagnosis of the whole run and keeps it, for the trace's cache file. */
void diagnosis_prepare(struct trace *trace, enum time_base base);
/* Lets the one that is kept name events by trace_event_number(), as in a trace that one process
 * has: for the cache file of a trace that processes share. All of them call it. */
void diagnosis_name_events(struct trace *trace, enum time_base base);

/* ---- diagnosis_check.c ---- */

/* Whether a kept one can be used: all that it names is there. */
bool diagnosis_holds(const struct diagnosis *diagnosis, const struct trace *trace);

/* ---- diagnosis_count.c ---- */

/* For diagnosis_make(): counts the instances of its kinds of waiting, and finds the longest ones.
 * `chosen` [locations], NULL: all. */
void diagnosis_count(struct diagnosis *diagnosis, const struct query *query,
		     const struct analysis *analysis, const bool *chosen);

/* ---- diagnosis_imbalance.c ---- */

/* For diagnosis_make(): the call paths in which ranks differ, and whether that is above noise.
 * `chosen` as above. False: stopped. */
bool diagnosis_imbalance(struct diagnosis *diagnosis, const struct query *query,
			 const struct causes *causes, const struct cube *cube, const bool *chosen);
