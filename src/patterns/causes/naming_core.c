/* Costs of ranks that had no core: they are the machine's. The time without one is left out of the
 * iterations. The costs of a call path on a location are divided in proportion to its time beyond
 * the mean of all locations, with that time and without it: there, or in all call paths that are
 * charged with much, as one that does less elsewhere is not late by that. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/median.h"
#include "base/mem.h"
#include "patterns/causes/naming_state.h"

#define UNCOUNTED \
	0.1 /* of the time without a core: what the kernel may not count, and cold caches */

/* Of a location in a cell: in a group of work, or in all of them. */
static double time_of(const struct naming *m, unsigned group, uint32_t location, uint32_t cell,
		      bool with_core)
{
	const struct cause_series *s = &m->series;
	const unsigned first = group == GROUPS ? 0 : group;
	const unsigned end = group == GROUPS ? m->n_groups : group + 1;
	double sum = 0;

	for (unsigned g = first; g < end; g++) {
		const size_t at = series_at(s, g, location) + cell;
		if (!m->groups[g].mpi)
			sum += (double)(s->time[at] + (with_core ? s->core[at] : 0));
	}
	return sum;
}

/* What locations did beyond their mean, of all cells; [locations]. */
static void find_excess(const struct naming *m, unsigned group, bool with_core, double *excess)
{
	const struct cause_series *s = &m->series;
	OWNED double *time = xcalloc((size_t)s->locations + 1, sizeof *time);

	memset(excess, 0, s->locations * sizeof *excess);
	for (uint32_t k = 0; k < s->cells; k++) {
		double sum = 0;
		uint32_t n = 0;
		for (uint32_t l = 0; l < s->locations; l++) {
			time[l] = time_of(m, group, l, k, with_core);
			sum += time[l];
			n += s->active[l];
		}
		for (uint32_t l = 0; n && l < s->locations; l++)
			excess[l] += fmax(time[l] - sum / n, 0);
	}
}

/* The part of the excess that is work; [locations]. */
static void find_parts(const struct naming *m, unsigned group, double *part)
{
	const uint32_t n = m->series.locations;
	OWNED double *with = xcalloc((size_t)n + 1, sizeof *with);

	find_excess(m, group, true, with);
	find_excess(m, group, false, part);
	for (uint32_t l = 0; l < n; l++)
		part[l] = part[l] < with[l] ? part[l] / with[l] : 1;
}

/* What ranks work in an iteration (median of all): it is not shorter. */
static double usual_work(const struct naming *m)
{
	const struct cause_series *s = &m->series;
	OWNED double *work = xcalloc((size_t)s->locations * s->cells + 1, sizeof *work);
	size_t n = 0;

	for (uint32_t l = 0; l < s->locations; l++)
		for (uint32_t k = 1; s->there[l] && k + 1 < s->cells; k++)
			work[n++] = time_of(m, GROUPS, l, k, false);
	return median_of(work, n);
}

/* Costs by the part of its time in which a location had a core. */
static void find_costs_with_core(struct naming *m, unsigned g)
{
	const struct cause_series *s = &m->series;
	struct cause_group *group = &m->groups[g];

	group->sum_with_core = 0;
	for (uint32_t l = 0; l < s->locations; l++) {
		double own = 0, all = 0;
		for (uint32_t k = 0; k < s->cells; k++) {
			own += time_of(m, g, l, k, false);
			all += time_of(m, g, l, k, s->core != NULL);
		}
		group->cost_with_core[l] = group->cost[l] * (own < all ? own / all : 1);
		group->sum_with_core += group->cost_with_core[l];
	}
}

void naming_core_costs(struct naming *m)
{
	const uint32_t n = m->series.locations;
	OWNED double *all = xcalloc((size_t)n + 1, sizeof *all);
	OWNED double *part = xcalloc((size_t)n + 1, sizeof *part);

	m->no_core = 0;
	for (unsigned g = 0; g < m->n_groups; g++)
		find_costs_with_core(m, g);
	if (!m->series.core)
		return;
	m->core *= m->series.own;
	m->series.length = fmax(m->series.length * m->series.own, usual_work(m));
	find_parts(m, GROUPS, all);
	for (unsigned g = 0; g < m->n_groups; g++) {
		struct cause_group *group = &m->groups[g];
		double left = 0;
		if (group->mpi)
			continue;
		find_parts(m, g, part);
		for (uint32_t l = 0; l < n; l++) {
			group->cost[l] *= fmin(part[l], all[l]);
			left += group->cost[l];
		}
		m->no_core += fmax(group->sum - left, 0);
		group->sum = left;
	}
}

double naming_core_noise(const struct cause_series *s, unsigned group)
{
	double sum = 0;
	size_t n = 0;

	for (uint32_t l = 0; s->core && l < s->locations; l++) {
		if (!s->there[l])
			continue;
		for (uint32_t k = 1; k + 1 < s->cells; k++)
			sum += (double)s->core[series_at(s, group, l) + k];
		n += s->cells - 2;
	}
	return n ? UNCOUNTED * sum / (double)n : 0;
}
