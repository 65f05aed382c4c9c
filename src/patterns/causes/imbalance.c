#include "patterns/causes/imbalance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/chance.h"
#include "base/mem.h"
#include "model/trace/core_wait.h"
#include "model/trace/crowd.h"
#include "patterns/causes/naming_state.h"

/* Of all call paths and locations together, that one is above noise in a run without imbalance. */
#define CHANCE      0.05
/* Parts of the excess: what is left of it with all that a rank computes, and the waits that it
 * causes, at most, where it is evened out. */
#define EVENED_LEFT 0.25
#define EVENED_COST 0.5
#define ONCE_PART   0.5
#define CORE_WAITED 0.02 /* of their time, from which on ranks are taken to share cores */

const char *imbalance_kind_name(enum imbalance_kind kind)
{
	static const char *const names[IMBALANCE_KINDS] = { "steady", "once", "cause", "noise",
							    "evened" };

	return names[kind];
}

struct judging {
	struct naming m;
	bool *compared;    /* [locations] that share the work of the call path */
	double *mean;      /* [cells] over these */
	double *values;    /* [cells], spare */
	double *by_place;  /* [locations], spare */
	double *costs;     /* [call paths] waiting that they cause */
	double *elsewhere; /* [locations] all that it computes beyond the mean, of all call paths */
	double chance;     /* for one location in one call path */
	bool crowded;      /* ranks, or threads, shared cores */
};

static bool is_first(const struct trace *trace, uint32_t location)
{
	const int32_t rank = trace_location(trace, location)->rank;

	return rank == RANK_UNKNOWN || trace_location_of_rank(trace, rank) == location;
}

static const int64_t *cells_of(const struct judging *j, unsigned group, uint32_t location)
{
	return j->m.series.time + series_at(&j->m.series, group, location);
}

static int64_t sum_of(const struct judging *j, unsigned group, uint32_t location)
{
	const int64_t *cells = cells_of(j, group, location);
	int64_t sum = 0;

	for (uint32_t k = 0; k < j->m.series.cells; k++)
		sum += cells[k];
	return sum;
}

/* The first threads of processes; all threads, where others compute there, too. Returns how
 * many. */
static uint32_t find_compared(struct judging *j, unsigned group)
{
	const struct cause_series *s = &j->m.series;
	bool threads = false;
	uint32_t n = 0;

	for (uint32_t l = 0; l < s->locations; l++)
		threads = threads ||
			  (s->active[l] && !is_first(j->m.trace, l) && sum_of(j, group, l) > 0);
	for (uint32_t l = 0; l < s->locations; l++) {
		j->compared[l] = s->active[l] &&
				 location_runs_code(trace_location(j->m.trace, l)) &&
				 (threads || is_first(j->m.trace, l));
		n += j->compared[l];
	}
	return n;
}

static bool counts(const struct judging *j, uint32_t location, uint32_t cell)
{
	const struct cause_series *s = &j->m.series;

	return j->compared[location] && s->there[location] &&
	       !s->spoiled[(size_t)location * s->cells + cell];
}

static void find_means(struct judging *j, unsigned group)
{
	const struct cause_series *s = &j->m.series;

	for (uint32_t k = 1; k + 1 < s->cells; k++) {
		double sum = 0;
		uint32_t n = 0;
		for (uint32_t l = 0; l < s->locations; l++)
			if (counts(j, l, k)) {
				sum += (double)cells_of(j, group, l)[k];
				n++;
			}
		j->mean[k] = n ? sum / n : 0;
	}
}

/* What a location did beyond the mean in the iterations; *n: in how many, their values in
 * `values`. */
static double excess_inside(struct judging *j, unsigned group, uint32_t location, uint32_t *n)
{
	const struct cause_series *s = &j->m.series;
	double sum = 0;

	*n = 0;
	for (uint32_t k = 1; s->iterating && k + 1 < s->cells; k++)
		if (counts(j, location, k)) {
			j->values[*n] = (double)cells_of(j, group, location)[k] - j->mean[k];
			sum += j->values[(*n)++];
		}
	return sum;
}

/* The same outside of iterations. */
static double excess_outside(const struct judging *j, unsigned group, uint32_t location)
{
	const struct cause_series *s = &j->m.series;
	const bool whole = !s->iterating || !s->there[location];
	double sum = 0, own = 0;
	uint32_t n = 0;

	for (uint32_t l = 0; l < s->locations; l++) {
		const int64_t *cells = cells_of(j, group, l);
		if (!j->compared[l] || (!whole && !s->there[l]))
			continue;
		const double x = whole ? (double)sum_of(j, group, l)
				       : (double)(cells[0] + cells[s->cells - 1]);
		sum += x;
		n++;
		own = l == location ? x : own;
	}
	return n ? own - sum / n : 0;
}

/* The location farthest from the mean in the iterations. */
static uint32_t find_farthest(struct judging *j, unsigned group, uint32_t location)
{
	uint32_t farthest = location, n;
	double most = fabs(excess_inside(j, group, location, &n));

	for (uint32_t l = 0; l < j->m.series.locations; l++) {
		const double excess = j->compared[l] ? fabs(excess_inside(j, group, l, &n)) : 0;
		if (excess > most) {
			most = excess;
			farthest = l;
		}
	}
	return farthest;
}

/* Whether the iterations alone show it; *noise: what their sum may be by chance. */
static bool is_steady(struct judging *j, unsigned group, uint32_t location, uint32_t *n,
		      double *noise)
{
	const double excess = fabs(excess_inside(j, group, location, n));

	*noise = fmax(chance_of_sum(j->values, *n, j->chance),
		      *n * naming_core_noise(&j->m.series, group));
	return excess > *noise;
}

static bool is_in(const struct judging *j, uint32_t path, const struct imbalance *of)
{
	if (of->path == UINT32_MAX)
		return path && trace_callpath_region(j->m.trace, path) == of->region;
	return path == of->path || (path && trace_callpath(j->m.trace, path)->canon == of->path);
}

static bool is_named(const struct judging *j, const struct cause_names *names,
		     const struct imbalance *of)
{
	for (uint32_t i = 0; i < names->n; i++) {
		const struct named_cause *c = &names->of[i];
		if (c->location != UINT32_MAX &&
		    (of->path == UINT32_MAX ? is_in(j, c->path, of)
					    : c->path == j->m.plain.of[of->path]))
			return true;
	}
	return false;
}

/* A region has what its call paths have that are groups of their own, too; finds where it has
 * most. */
static void fill_region(struct judging *j, const struct imbalance *all, unsigned group,
			struct imbalance *of)
{
	const struct cause_series *s = &j->m.series;
	const size_t cells = (size_t)s->locations * s->cells;
	const uint32_t compared = find_compared(j, group);
	double sum = 0;

	for (unsigned i = 0; i < group; i++)
		if (is_in(j, all[i].path, of))
			for (size_t k = 0; k < cells; k++) {
				s->time[group * cells + k] += s->time[i * cells + k];
				if (s->core)
					s->core[group * cells + k] += s->core[i * cells + k];
			}
	for (uint32_t l = 0; l < s->locations; l++) {
		sum += j->compared[l] ? (double)sum_of(j, group, l) : 0;
		if (j->compared[l] && (of->location == UINT32_MAX ||
				       sum_of(j, group, l) > sum_of(j, group, of->location)))
			of->location = l;
	}
	if (of->location == UINT32_MAX)
		of->location = 0;
	of->above = 0;
	for (uint32_t l = 0; l < s->locations; l++)
		if (j->compared[l])
			of->above += fmax((double)sum_of(j, group, l) - sum / compared, 0);
	of->more = compared ? (double)sum_of(j, group, of->location) - sum / compared : 0;
}

static void judge(struct judging *j, const struct cause_names *names, unsigned group,
		  unsigned groups, struct imbalance *of)
{
	const uint32_t compared = find_compared(j, group);
	double noise, outside, inside;
	uint32_t n, unused;
	bool steady;

	j->chance = CHANCE / groups / (compared ? compared : 1);
	find_means(j, group);
	inside = excess_inside(j, group, of->location, &n);
	outside = excess_outside(j, group, of->location);
	steady = is_steady(j, group, of->location, &of->iterations, &of->noise) ||
		 is_steady(j, group, find_farthest(j, group, of->location), &unused, &noise);
	of->kind = is_named(j, names, of) ? IMBALANCE_NAMED
		   : steady               ? IMBALANCE_STEADY
		   : !j->crowded && outside > 0 && outside >= ONCE_PART * of->more
			   ? IMBALANCE_ONCE
			   : IMBALANCE_NOISE;
	if (of->iterations < 3 || fabs(outside) > fabs(inside)) {
		of->iterations = 0;
		of->noise = 0;
	}
	of->iterations *= j->m.series.each;
	if (of->iterations > j->m.series.n)
		of->iterations = j->m.series.n;
}

/* Ticks of a location in a group without a core; *all: of all locations. */
static double core_of(const struct judging *j, unsigned group, uint32_t location, double *all)
{
	const struct cause_series *s = &j->m.series;
	const size_t own = series_at(s, group, location), first = series_at(s, group, 0);
	double sum = 0;

	*all = 0;
	for (size_t k = 0; s->core && k < (size_t)s->locations * s->cells; k++) {
		const double core = (double)s->core[first + k];
		*all += core;
		sum += first + k >= own && first + k < own + s->cells ? core : 0;
	}
	return sum;
}

/* Whether the location computes less elsewhere, so that no rank waits for it: but for waits for a
 * core. */
static bool is_evened(struct judging *j, const struct imbalance *of, unsigned group)
{
	double costs = 0, time = 0, all;
	const double core = core_of(j, group, of->location, &all);

	for (uint32_t p = 0; p < j->m.plain.n; p++)
		costs += is_in(j, p, of) ? j->costs[p] : 0;
	for (uint32_t l = 0; l < j->m.series.locations; l++)
		time += (double)sum_of(j, group, l);
	if (all > 0)
		costs *= time / (time + all);
	return fabs(j->elsewhere[of->location]) < EVENED_LEFT * of->more + core &&
	       costs < EVENED_COST * of->above;
}

bool imbalance_judge(const struct causes *causes, const struct cube *cube, int64_t t0, int64_t t1,
		     const struct cause_names *names, const struct progress *progress,
		     struct imbalance *of, unsigned n)
{
	struct judging j = { .elsewhere = NULL };
	struct naming *m = &j.m;
	struct core_waited core;
	struct crowd crowd;
	bool done;

	if (!n)
		return true;
	naming_begin(m, causes, cube, t0, t1, progress);
	crowd = trace_crowd(m->trace);
	core = trace_core_waited(m->trace);
	j.crowded = crowd.ranks || crowd.threads || core.waited > CORE_WAITED * core.of;
	m->n_groups = n;
	memset(m->group_of, NO_GROUP, m->plain.n);
	for (uint32_t p = 0; p < m->plain.n; p++)
		for (unsigned i = 0; i < n; i++)
			if (m->group_of[p] == NO_GROUP && is_in(&j, p, &of[i]))
				m->group_of[p] = (uint8_t)i;
	m->iterations = causes_iterations(causes, progress);
	done = m->iterations && naming_series(m);
	if (done) {
		const size_t locations = (size_t)m->series.locations + 1;
		j.compared = xcalloc(locations, sizeof *j.compared);
		j.mean = xcalloc((size_t)m->series.cells + 1, sizeof *j.mean);
		j.values = xcalloc((size_t)m->series.cells + 1, sizeof *j.values);
		j.by_place = xcalloc(locations, sizeof *j.by_place);
		j.elsewhere = xcalloc(locations, sizeof *j.elsewhere);
		j.costs = xcalloc((size_t)m->plain.n + 1, sizeof *j.costs);
		cube_by_location(cube, CUBE_IMBALANCE_ABOVE, 0, true, j.elsewhere);
		cube_by_location(cube, CUBE_IMBALANCE_BELOW, 0, true, j.by_place);
		for (uint32_t l = 0; l < m->series.locations; l++)
			j.elsewhere[l] -= j.by_place[l];
		cube_by_path(cube, CUBE_DELAY, NULL, j.costs);
		for (unsigned i = 0; i < n; i++) {
			if (of[i].path == UINT32_MAX)
				fill_region(&j, of, i, &of[i]);
			judge(&j, names, i, n, &of[i]);
			if (is_evened(&j, &of[i], i) && of[i].kind != IMBALANCE_NAMED &&
			    of[i].kind != IMBALANCE_NOISE)
				of[i].kind = IMBALANCE_EVENED;
		}
		free_all(j.compared, j.mean, j.values, j.by_place, j.costs, j.elsewhere);
	}
	naming_end(m);
	return done;
}
