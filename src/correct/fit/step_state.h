/* step_state: what the files of the search for steps share. Times in nanoseconds of the clocks'
 * measured times, without the steps found so far. */
#pragma once

#include "base/exchange.h"
#include "correct/fit/fit_state.h"
#include "correct/fit/step_find.h"
#include "correct/fit/step_scan.h"

/* ---- step_edges.c ---- */

typedef VEC(struct fit_edge) step_edge_vec;

/* The messages between clocks, of each pair of clocks in one of the processes, by pair. Where there
 * are very many, the tightest of each direction and interval. False: dropped. */
bool step_edges_collect(step_edge_vec *edges, struct clocks *clocks, const struct logical *logical,
			const struct progress *progress);

/* ---- step_find.c ---- */

/* A pair of clocks, i < j. */
struct step_pair {
	uint32_t i, j;
	step_point_vec points;
	pair_step_vec found;
	bool known; /* found is that of the points */
};

/* A step of a pair as all processes know it. */
struct seen_step {
	uint64_t i, j;
	struct pair_step step;
};

struct step_search {
	struct clocks clocks; /* in measured times */
	struct exchange *x;
	VEC(struct step_pair) pairs; /* this process's */
	double rate, fine;
	uint32_t round;
	double *common; /* [clocks] ns, to add for a time that all clocks share, to within some
			   latencies */
	VEC(struct fit_step) steps;
	VEC(uint32_t) of; /* clock of each */
};

/* A clock's time without the steps found so far. */
double step_time(const struct step_search *s, uint32_t clock, int64_t measured);

/* ---- step_groups.c: whose clock ---- */

/* A clock that was set. */
struct set_clock {
	uint32_t clock, partner; /* the only other one: it could be that; UINT32_MAX: it is not */
	uint32_t group;          /* by its first clock */
	double least, most;      /* ns */
	double from, to;         /* ns, of the clock: the place */
	double all_from, all_to; /* the part of it that all pairs of its group agree on */
};
typedef VEC(struct set_clock) set_clock_vec;

/* The clocks that were set at the earliest of the steps seen: those of pairs that have a large
 * enough one. Fills groups[clocks]. */
void step_groups(const struct step_search *s, const struct seen_step *seen, size_t n,
		 set_clock_vec *out, uint32_t *groups);

/* ---- step_place.c: between which two events ---- */

/* Adds the step of a clock; groups as step_groups() makes them. */
void step_place(struct step_search *s, const struct set_clock *set, const uint32_t *groups);
