/* naming_rules: what the files of the rules that name a cause share.
 *
 * naming_rules.c	which rule holds
 * naming_excess.c	what ranks did more than the others, by iteration */
#pragma once

#include "patterns/causes/naming_state.h"

/* What a location did more than the median of the others, by cell. */
struct excess_series {
	uint32_t n, first; /* first: of the iterations; 1 if there is something before them */
	uint32_t *cell;    /* [n] */
	double *x;         /* [n] ticks */
	double *others;    /* [n] that median */
	double above, median, scatter; /* above: sum of those above 0 */
};

struct rule_of {
	const struct naming *m;
	const struct cause_series *s;
	const struct cause_group *group;
	unsigned row;      /* of the group */
	uint32_t location; /* with the largest cost */
	bool *compared;    /* [locations] the others that it is compared with */
	double cost;
	struct excess_series excess;
};

/* The slowest rank of each cell beside the median of the others. */
struct slowest_series {
	size_t n;
	uint32_t *cell;             /* [n] */
	double *most, *rest, *more; /* [n] ticks */
	double median, sum;         /* of `more` */
	uint32_t usual, times;      /* the location that is the slowest most often, and how often */
	uint32_t callers;
};

/* ---- naming_excess.c ---- */

/* Fills in `compared` and `excess`, what the location did more; rule_excess_fini(). */
void rule_find_excess(struct rule_of *r);
void rule_excess_fini(struct rule_of *r);
/* rule_slowest_fini(). */
void rule_find_slowest(const struct rule_of *r, struct slowest_series *of);
void rule_slowest_fini(struct slowest_series *of);
/* Calls, time and bytes per iteration, of the location and of the others. */
void rule_fill_rates(const struct rule_of *r, struct named_cause *c);
/* A location's visits in all of the window. */
uint64_t rule_visits(const struct rule_of *r, uint32_t location);
/* Over the others that it is compared with; with `having`, over those of all that have some of it,
 * if there are such. */
double rule_median_of_others(const struct rule_of *r, const double *by_location,
			     const double *having);
