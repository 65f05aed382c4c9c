/* What ranks did more than the others, by iteration, in a call path that is charged with much. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/median.h"
#include "base/mem.h"
#include "patterns/causes/naming_rules.h"

#define SCATTER 1.4826 /* of a normal distribution: deviation / median deviation */

static bool is_spoiled(const struct cause_series *s, uint32_t location, uint32_t cell)
{
	/* What is before the first iteration is too much to leave out. */
	return cell > 0 && s->spoiled[(size_t)location * s->cells + cell] > 0;
}

/* The median over the others that are not spoiled; false: there are none. `values` [locations]. */
static bool others_in(const struct rule_of *r, uint32_t location, uint32_t cell, double *values,
		      double *median)
{
	size_t n = 0;

	for (uint32_t l = 0; l < r->s->locations; l++)
		if (l != location && r->s->there[l] && !is_spoiled(r->s, l, cell))
			values[n++] = (double)r->s->time[series_at(r->s, r->row, l) + cell];
	*median = median_of(values, n);
	return n > 0;
}

void rule_find_excess(struct rule_of *r)
{
	const struct cause_series *s = r->s;
	struct excess_series *e = &r->excess;
	OWNED double *values = xmalloc(((size_t)s->locations + s->cells + 1) * sizeof *values);

	e->cell = xmalloc(((size_t)s->cells + 1) * sizeof *e->cell);
	e->x = xmalloc(((size_t)s->cells + 1) * sizeof *e->x);
	e->others = xmalloc(((size_t)s->cells + 1) * sizeof *e->others);
	for (uint32_t k = s->iterating ? 0 : 1; k < s->cells - !s->iterating; k++) {
		double others;
		if (is_spoiled(s, r->location, k) || !others_in(r, r->location, k, values, &others))
			continue;
		e->cell[e->n] = k;
		e->others[e->n] = others;
		e->x[e->n] = (double)s->time[series_at(s, r->row, r->location) + k] - others;
		e->above += fmax(e->x[e->n], 0);
		e->n++;
	}
	memcpy(values, e->x, e->n * sizeof *values);
	e->median = median_of(values, e->n);
	for (uint32_t i = 0; i < e->n; i++)
		values[i] = fabs(e->x[i] - e->median);
	e->scatter = SCATTER * median_of(values, e->n);
}

void rule_excess_fini(struct excess_series *e)
{
	free_all(e->cell, e->x, e->others);
}

/* ---- per iteration ---- */

/* Time and visits of a location in whole iterations without gaps, per iteration. */
static void per_iteration(const struct rule_of *r, uint32_t location, double *calls, double *time)
{
	const struct cause_series *s = r->s;
	double n = 0;

	*calls = *time = 0;
	for (uint32_t k = 1; k + 1 < s->cells; k++) {
		if (is_spoiled(s, location, k))
			continue;
		*calls += (double)s->visits[series_at(s, r->row, location) + k];
		*time += (double)s->time[series_at(s, r->row, location) + k];
		n += s->each;
	}
	if (n > 0) {
		*calls /= n;
		*time /= n;
	}
}

uint64_t rule_visits(const struct rule_of *r, uint32_t location)
{
	uint64_t n = 0;

	for (uint32_t k = 0; k < r->s->cells; k++)
		n += r->s->visits[series_at(r->s, r->row, location) + k];
	return n;
}

double rule_median_of_others(const struct rule_of *r, const double *by_location,
			     const double *having)
{
	OWNED double *values = xmalloc(((size_t)r->s->locations + 1) * sizeof *values);
	size_t n = 0;

	for (uint32_t l = 0; l < r->s->locations; l++)
		if (l != r->location && r->s->there[l] && (!having || having[l] > 0))
			values[n++] = by_location[l];
	return n || !having ? median_of(values, n) : rule_median_of_others(r, by_location, NULL);
}

void rule_fill_rates(const struct rule_of *r, struct named_cause *c)
{
	const struct cause_series *s = r->s;
	const uint32_t n = s->locations;
	OWNED double *calls = xcalloc((size_t)n + 1, sizeof *calls);
	OWNED double *time = xcalloc((size_t)n + 1, sizeof *time);
	OWNED double *bytes = xcalloc((size_t)n + 1, sizeof *bytes);

	for (uint32_t l = 0; l < n; l++)
		if (s->there[l])
			per_iteration(r, l, &calls[l], &time[l]);
	c->calls = calls[r->location];
	c->time = time[r->location];
	c->others_calls = rule_median_of_others(r, calls, NULL);
	c->others_time = rule_median_of_others(r, time, NULL);
	if (!r->group->mpi)
		return;
	cube_by_location(r->m->cube, CUBE_BYTES, r->group->path, false, bytes);
	for (uint32_t l = 0; l < n; l++)
		bytes[l] /= iterations_of_series(s);
	/* Ranks that transfer nothing there say nothing about a transfer. */
	c->bytes = bytes[r->location];
	c->others_bytes = rule_median_of_others(r, bytes, bytes);
	c->others_calls = rule_median_of_others(r, calls, bytes);
	c->others_time = rule_median_of_others(r, time, bytes);
}

/* ---- the slowest ---- */

void rule_find_slowest(const struct rule_of *r, struct slowest_series *of)
{
	const struct cause_series *s = r->s;
	OWNED double *values = xmalloc(((size_t)s->locations + s->cells + 1) * sizeof *values);

	of->n = 0;
	of->sum = 0;
	of->cell = xcalloc(s->cells, sizeof *of->cell);
	of->most = xcalloc(s->cells, sizeof *of->most);
	of->rest = xcalloc(s->cells, sizeof *of->rest);
	of->more = xcalloc(s->cells, sizeof *of->more);
	for (uint32_t k = 1; s->iterating && k + 1 < s->cells; k++) {
		const int64_t *time = s->time + series_at(s, r->row, 0) + k;
		uint32_t slowest = UINT32_MAX;
		for (uint32_t l = 0; l < s->locations; l++)
			if (s->there[l] && !is_spoiled(s, l, k) &&
			    (slowest == UINT32_MAX ||
			     time[(size_t)l * s->cells] > time[(size_t)slowest * s->cells]))
				slowest = l;
		if (slowest == UINT32_MAX || !others_in(r, slowest, k, values, &of->rest[of->n]))
			continue;
		of->cell[of->n] = k;
		of->most[of->n] = (double)time[(size_t)slowest * s->cells];
		of->more[of->n] = of->most[of->n] - of->rest[of->n];
		of->sum += of->more[of->n];
		of->n++;
	}
	memcpy(values, of->more, of->n * sizeof *values);
	of->median = median_of(values, of->n);
}

void rule_slowest_fini(struct slowest_series *of)
{
	free_all(of->cell, of->most, of->rest, of->more);
}
