/* What ranks did more than the others, by iteration, in a call path that is charged with much. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/median.h"
#include "base/mem.h"
#include "base/robust.h"
#include "patterns/causes/naming_rules.h"

/* Others that call it: of as many with equal costs none has the part that a rank must have. */
enum { CALLERS_ENOUGH = 3 };

static bool is_spoiled(const struct cause_series *s, uint32_t location, uint32_t cell)
{
	/* What is before the first iteration is too much to leave out. */
	return cell > 0 && s->spoiled[(size_t)location * s->cells + cell] > 0;
}

/* The median over the others, of those that are `compared`, that are not spoiled; false: there are
 * none. `values` [locations]. */
static bool others_in(const struct rule_of *r, const bool *compared, uint32_t location,
		      uint32_t cell, double *values, double *median)
{
	size_t n = 0;

	for (uint32_t l = 0; l < r->s->locations; l++)
		if (l != location && compared[l] && !is_spoiled(r->s, l, cell))
			values[n++] = (double)r->s->time[series_at(r->s, r->row, l) + cell];
	*median = median_of(values, n);
	return n > 0;
}

/* Hosts are compared with hosts, streams with streams. */
static bool is_alike(const struct rule_of *r, uint32_t location)
{
	return r->s->stream[location] == r->s->stream[r->location];
}

/* Ranks that never call it do something else meanwhile. */
static uint32_t find_callers(const struct rule_of *r, bool *callers)
{
	uint32_t n = 0;

	for (uint32_t l = 0; l < r->s->locations; l++) {
		callers[l] = r->s->there[l] && is_alike(r, l) && rule_visits(r, l) > 0;
		n += callers[l];
	}
	return n;
}

/* With those that call it, too, where they are so many that one of several equal ones would not be
 * named; else with all: that they do not call it may be what is to be said. */
static void find_compared(struct rule_of *r)
{
	r->compared = xcalloc((size_t)r->s->locations + 1, sizeof *r->compared);
	if (find_callers(r, r->compared) - r->compared[r->location] >= CALLERS_ENOUGH)
		return;
	for (uint32_t l = 0; l < r->s->locations; l++)
		r->compared[l] = r->s->there[l] && is_alike(r, l);
}

/* All that a location did in the window. */
static double time_of(const struct rule_of *r, uint32_t location)
{
	int64_t sum = 0;

	for (uint32_t k = 0; k < r->s->cells; k++)
		sum += r->s->time[series_at(r->s, r->row, location) + k];
	return (double)sum;
}

/* Of a location without iterations, all at once: the others' cells are not its own. */
static void add_whole(struct rule_of *r)
{
	struct excess_series *e = &r->excess;
	OWNED double *time = xcalloc((size_t)r->s->locations + 1, sizeof *time);

	for (uint32_t l = 0; l < r->s->locations; l++)
		time[l] = r->s->active[l] ? time_of(r, l) : 0;
	e->cell[0] = 1;
	e->others[0] = rule_median_of_others(r, time, NULL);
	e->x[0] = time[r->location] - e->others[0];
	e->above = fmax(e->x[0], 0);
	e->n = 1;
}

static void add_cells(struct rule_of *r)
{
	const struct cause_series *s = r->s;
	struct excess_series *e = &r->excess;
	OWNED double *values = xmalloc(((size_t)s->locations + 1) * sizeof *values);

	for (uint32_t k = s->iterating ? 0 : 1; k < s->cells - !s->iterating; k++) {
		double others;
		if (is_spoiled(s, r->location, k) ||
		    !others_in(r, r->compared, r->location, k, values, &others))
			continue;
		e->cell[e->n] = k;
		e->others[e->n] = others;
		e->x[e->n] = (double)s->time[series_at(s, r->row, r->location) + k] - others;
		e->above += fmax(e->x[e->n], 0);
		e->n++;
	}
}

void rule_find_excess(struct rule_of *r)
{
	struct excess_series *e = &r->excess;
	const size_t cells = (size_t)r->s->cells + 1;
	OWNED double *values = xmalloc(cells * sizeof *values);

	find_compared(r);
	e->cell = xmalloc(cells * sizeof *e->cell);
	e->x = xmalloc(cells * sizeof *e->x);
	e->others = xmalloc(cells * sizeof *e->others);
	if (r->s->there[r->location])
		add_cells(r);
	else
		add_whole(r);
	memcpy(values, e->x, e->n * sizeof *values);
	e->median = median_of(values, e->n);
	e->scatter = robust_scatter(e->x, e->n);
}

void rule_excess_fini(struct rule_of *r)
{
	free_all(r->compared, r->excess.cell, r->excess.x, r->excess.others);
	r->compared = NULL;
	r->excess = (struct excess_series){ 0 };
}

/* ---- per iteration ---- */

/* Time and visits of a location in whole iterations without gaps, per iteration. */
static void per_iteration(const struct rule_of *r, uint32_t location, double *calls, double *time)
{
	const struct cause_series *s = r->s;
	double n = 0;

	*calls = *time = 0;
	for (uint32_t k = 1; k + 1 < s->cells; k++) {
		if (s->there[location] && is_spoiled(s, location, k))
			continue;
		*calls += (double)s->visits[series_at(s, r->row, location) + k];
		*time += (double)s->time[series_at(s, r->row, location) + k];
		n += iterations_of_cell(s, k);
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
		if (l != r->location && (having ? r->s->there[l] && having[l] > 0 : r->compared[l]))
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
		if (s->active[l])
			per_iteration(r, l, &calls[l], &time[l]);
	c->calls = calls[r->location];
	c->time = time[r->location];
	c->others_calls = rule_median_of_others(r, calls, NULL);
	for (uint32_t l = 0; l < n && c->others_calls <= 0; l++)
		if (l != r->location && is_alike(r, l) && calls[l] > 0)
			c->some = 1;
	c->others_time = rule_median_of_others(r, time, NULL);
	if (!r->group->mpi)
		return;
	for (uint32_t l = 0; l < n; l++)
		bytes[l] = (double)s->bytes[(size_t)r->row * n + l] / s->n;
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
	OWNED bool *callers = xcalloc((size_t)s->locations + 1, sizeof *callers);
	OWNED uint32_t *times = xcalloc((size_t)s->locations + 1, sizeof *times);

	*of = (struct slowest_series){ .usual = UINT32_MAX, .callers = find_callers(r, callers) };
	of->cell = xcalloc(s->cells, sizeof *of->cell);
	of->most = xcalloc(s->cells, sizeof *of->most);
	of->rest = xcalloc(s->cells, sizeof *of->rest);
	of->more = xcalloc(s->cells, sizeof *of->more);
	for (uint32_t k = 1; s->iterating && k + 1 < s->cells; k++) {
		const int64_t *time = s->time + series_at(s, r->row, 0) + k;
		uint32_t slowest = UINT32_MAX;
		for (uint32_t l = 0; l < s->locations; l++)
			if (callers[l] && !is_spoiled(s, l, k) &&
			    (slowest == UINT32_MAX ||
			     time[(size_t)l * s->cells] > time[(size_t)slowest * s->cells]))
				slowest = l;
		if (slowest == UINT32_MAX ||
		    !others_in(r, callers, slowest, k, values, &of->rest[of->n]))
			continue;
		of->cell[of->n] = k;
		of->most[of->n] = (double)time[(size_t)slowest * s->cells];
		of->more[of->n] = of->most[of->n] - of->rest[of->n];
		of->sum += of->more[of->n];
		of->n++;
		if (++times[slowest] > of->times) {
			of->times = times[slowest];
			of->usual = slowest;
		}
	}
	memcpy(values, of->more, of->n * sizeof *values);
	of->median = median_of(values, of->n);
}

void rule_slowest_fini(struct slowest_series *of)
{
	free_all(of->cell, of->most, of->rest, of->more);
}
