#include "views/facts/iteration_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/median.h"
#include "base/mem.h"
#include "base/robust.h"
#include "model/meaning/meaning.h"
#include "views/facts/phrases.h"
#include "views/query/second_trace.h"

#define ERRORS 2.5

/* ---- the level that corresponds ---- */

static bool same_name(const char *a, const char *b)
{
	char x[MPI_NAME_SIZE], y[MPI_NAME_SIZE];

	if (mpi_standard_name(a, x) && mpi_standard_name(b, y))
		return strcmp(x, y) == 0;
	return strcmp(a, b) == 0;
}

static const char *anchor_of(const struct trace *trace, const struct iteration_level *level)
{
	return level->path ? trace_region_name(trace, trace_callpath_region(trace, level->path))
			   : "";
}

static uint32_t distance(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

size_t iteration_pairs_level(const struct trace *old, const struct iterations *iterations,
			     const struct trace *new, const struct iteration_level *wanted)
{
	size_t n, main, best;
	const struct iteration_level *levels = iterations_levels(iterations, &n, &main);

	best = n;
	for (size_t i = 0; i < n; i++) {
		if (!same_name(anchor_of(old, &levels[i]), anchor_of(new, wanted)))
			continue;
		if (best == n ||
		    distance(levels[i].n, wanted->n) < distance(levels[best].n, wanted->n))
			best = i;
	}
	return best;
}

/* ---- making ---- */

/* The other trace, all of it, in the same base if it has that. */
static bool other_query(const struct query *query, struct query *old, struct err *err)
{
	struct trace *trace = query->other->trace;

	*old = (struct query){ .trace = trace,
			       .base = trace_has_base(trace, query->base)
					       ? query->base
					       : trace_default_base(trace),
			       .t0 = INT64_MIN,
			       .t1 = INT64_MAX,
			       .analyses = query->other->analyses,
			       .callpath = UINT32_MAX,
			       .progress = query->progress };
	if (!old->analyses)
		return err_set(err, STATUS_USAGE,
			       "a baseline keeps figures of whole runs: it has no iterations");
	return trace_base_make(trace, old->base, query->progress, err);
}

static void match_locations(struct iteration_pairs *p, const struct trace *old,
			    const struct trace *new)
{
	const uint32_t n = trace_location_count(new), all = trace_location_count(old);

	p->old = xmalloc(((size_t)n + 1) * sizeof *p->old);
	for (uint32_t l = 0; l < n; l++) {
		const struct location *location = trace_location(new, l);
		uint32_t there = location->rank < 0 ? UINT32_MAX
						    : trace_location_of_rank(old, location->rank);
		/* Threads of a rank follow its first one. */
		while (there < all && trace_location(old, there)->rank == location->rank &&
		       trace_location(old, there)->thread < location->thread)
			there++;
		p->old[l] = there < all && trace_location(old, there)->rank == location->rank &&
					    trace_location(old, there)->thread == location->thread
				    ? there
				    : UINT32_MAX;
	}
}

bool iteration_pairs_make(struct iteration_pairs *p, const struct query *query,
			  struct iteration_sums *sums, struct err *err)
{
	const struct iterations *iterations;
	struct query old;
	size_t level, levels, main;

	*p = (struct iteration_pairs){ .of = { NULL, sums } };
	if (!other_query(query, &old, err) ||
	    !query_iterations(&old, LEVEL_MAIN, &iterations, err) || !iterations)
		return false;
	match_locations(p, old.trace, query->trace);
	if (!sums->n)
		return true;
	iterations_levels(iterations, &levels, &main);
	level = iteration_pairs_level(old.trace, iterations, query->trace, sums->of_level);
	if (level == levels)
		return true;
	p->of[0] = iteration_sums_new(&old, (int)level, err);
	if (!p->of[0])
		return false;
	p->n = p->of[0]->n < sums->n ? p->of[0]->n : sums->n;
	p->ticks = (double)trace_scale(query->trace)->per_second /
		   (double)trace_scale(old.trace)->per_second;
	return true;
}

void iteration_pairs_fini(struct iteration_pairs *p)
{
	iteration_sums_free(p->of[0]);
	free(p->old);
	*p = (struct iteration_pairs){ 0 };
}

const char *iteration_pairs_sentence(struct phrases *p, const struct iteration_pairs *pairs)
{
	if (!pairs->of[0])
		return "The old run has no iterations that begin at the same call: nothing is "
		       "compared.";
	if (pairs->of[0]->n == pairs->of[1]->n)
		return "Compared with the same iterations of the old run.";
	return phrase(p, "Compared with the old run, iterations 1 to %s: it has %s, this one %s.",
		      phrase_number(p, pairs->n), phrase_number(p, pairs->of[0]->n),
		      phrase_number(p, pairs->of[1]->n));
}

const struct iteration_sum *iteration_pairs_old(const struct iteration_pairs *p, uint32_t location,
						uint32_t iteration)
{
	const uint32_t old = p->of[0] ? p->old[location] : UINT32_MAX;

	return old != UINT32_MAX && iteration < p->of[0]->n && p->of[0]->of[old]
		       ? &p->of[0]->of[old][iteration]
		       : NULL;
}

double iteration_pairs_value(const struct iteration_pairs *p, const struct iteration_sum *old,
			     enum iteration_quantity quantity)
{
	const double value = iteration_value(old, quantity);

	return quantity < ITERATION_MESSAGES ? value * p->ticks : value;
}

/* ---- noise ---- */

int iteration_pairs_change(const struct iteration_pairs *p, uint32_t location,
			   enum iteration_quantity quantity)
{
	OWNED double *values = xmalloc(((size_t)p->n + 1) * sizeof *values);
	double middle[2], variance = 0, change;

	if (!p->n || !p->of[1]->of[location] || !iteration_pairs_old(p, location, 0))
		return 0;
	for (int side = 0; side < 2; side++) {
		for (uint32_t k = 0; k < p->n; k++)
			values[k] =
				side ? iteration_value(&p->of[1]->of[location][k], quantity)
				     : iteration_pairs_value(p, iteration_pairs_old(p, location, k),
							     quantity);
		variance += pow(robust_scatter(values, p->n), 2) / p->n;
		middle[side] = median_of(values, p->n);
	}
	change = middle[1] - middle[0];
	return fabs(change) <= ERRORS * ROBUST_MEDIAN_ERROR * sqrt(variance) ? 0
	       : change > 0                                                  ? 1
									     : -1;
}
