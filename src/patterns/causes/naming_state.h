/* naming_state: what the files that name causes share. */
#pragma once

#include "patterns/causes/causes_state.h"
#include "patterns/causes/naming.h"
#include "patterns/iterations/iterations.h"
#include "patterns/severity/plain_path.h"

enum { GROUPS = CAUSES_NAMED, NO_GROUP = UINT8_MAX };

/* A call path that is charged with much, without loops. */
struct cause_group {
	uint32_t path;
	bool mpi;
	double sum;   /* ticks charged to it */
	double *cost; /* [locations] */
	/* The same as far as it had a core, whether or not it did more than the others. */
	double sum_with_core;
	double *cost_with_core; /* [locations] */
};

/* What locations did in the groups, by iteration. Cell 0 is before the first, cells - 1 after the
 * last one; a cell may have several iterations. */
struct cause_series {
	uint32_t locations, cells;
	uint32_t each;     /* iterations of a cell, the last one may have fewer */
	uint32_t n;        /* of all cells; 1: the window is one */
	uint32_t before;   /* iterations of the run before these */
	uint32_t of_run;   /* all iterations of the run */
	bool iterating;    /* false: one cell has all */
	bool *active;      /* [locations] does anything */
	bool *there;       /* [locations] of these, has iterations if there are any: is compared by
			      them. Another one has all in cell 1 */
	bool *stream;      /* [locations] of a device: is compared with streams */
	int64_t *time;     /* [groups][locations][cells] ticks, without waiting, */
	int64_t *core;     /* and of that without a core, which `time` has not; NULL: not known */
	uint64_t *visits;  /* the same */
	uint64_t *bytes;   /* [groups][locations] of the messages in cells 1 to cells - 2 */
	uint64_t *spoiled; /* [locations][cells] functions were left out: not compared */
	double length;     /* median of an iteration, ticks */
	double own;        /* the part of the time in which locations did not wait for a core */
};

struct naming {
	const struct causes *causes;
	const struct trace *trace;
	enum time_base base;
	const struct cube *cube;
	int64_t t0, t1;
	const struct progress *progress;
	unsigned jobs;
	struct plain_paths plain;
	const struct iterations *iterations;
	double waiting, core;
	double no_core; /* of the waiting: while others had no core (naming_core.c) */
	unsigned n_groups;
	struct cause_group groups[GROUPS];
	uint8_t *group_of; /* [call paths] */
	struct cause_series series;
};

static inline size_t series_at(const struct cause_series *s, unsigned group, uint32_t location)
{
	return ((size_t)group * s->locations + location) * s->cells;
}

/* Without groups yet; naming_end(). */
void naming_begin(struct naming *m, const struct causes *causes, const struct cube *cube,
		  int64_t t0, int64_t t1, const struct progress *progress);
void naming_end(struct naming *m);

/* ---- naming_groups.c: costs by call path ---- */

/* Waiting, core, and the groups that are charged with most. */
void naming_groups(struct naming *m, struct cause_names *names);

/* ---- naming_order.c ---- */

/* The location and receive with most of the waiting in the wrong order; false: it is too little. */
bool naming_order(const struct naming *m, struct named_cause *cause);

/* ---- naming_series.c ---- */

/* False: stopped. */
bool naming_series(struct naming *m);
/* Of the time that locations are in a group, the share in which several are at once. */
double naming_overlap(const struct naming *m, unsigned group);

/* ---- naming_core.c ---- */

/* Takes off the costs of groups the part that is not work, and off the core and an iteration's
 * length the time for which ranks waited for a core: thresholds are of the rest. After
 * naming_series(). */
void naming_core_costs(struct naming *m);
/* A tenth of the time without a core in a cell, the mean of all locations, ticks: so much more work
 * may come from that. */
double naming_core_noise(const struct cause_series *series, unsigned group);

/* Iterations of a cell that is between the first and the last one. */
static inline uint32_t iterations_of_cell(const struct cause_series *s, uint32_t cell)
{
	return cell + 2 < s->cells ? s->each : s->n - (cell - 1) * s->each;
}

/* ---- naming_progress.c ---- */

/* Whether a location's excess in a group of MPI is mostly time in which a sender computed after it
 * had begun to send; the cause is then that sender in that work. All processes call it. */
bool naming_progress(const struct naming *m, unsigned group, uint32_t location, double excess,
		     struct named_cause *cause);

/* ---- naming_machine.c ---- */

/* What late deliveries and releases cost where it has no other name; false: it is too little, or of
 * one location. All processes call it. */
bool naming_machine(const struct naming *m, const struct cause_names *names,
		    struct named_cause *cause);

/* ---- naming_rules.c ---- */

/* The cause that a group is, on the location with the nth largest cost, from 0, or on another one
 * each time; false: it has no name. */
bool naming_rule(const struct naming *m, unsigned group, unsigned nth, struct named_cause *cause);
