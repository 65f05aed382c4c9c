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
	static const char *const names[IMBALANCE_KINDS] = { "steady", "once",   "cause",
							    "noise",  "evened", "core" };

	return names[kind];
}

struct judging {
	struct naming m;
	bool *compared;    /* [locations] that share the work of the call path */
	double *mean;      /* [cells] over these */
	double *values;    /* [cells], spare */
	double *over;      /* [locations] work beyond the mean, in the call path */
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

static int64_t sum_cells(const struct judging *j, const int64_t *cells)
{
	int64_t sum = 0;

	for (uint32_t k = 0; k < j->m.series.cells; k++)
		sum += cells[k];
	return sum;
}

static int64_t sum_of(const struct judging *j, unsigned group, uint32_t location)
{
	return sum_cells(j, cells_of(j, group, location));
}

/* Ticks in a group without a core; 0 where these are not recorded. */
static int64_t core_of(const struct judging *j, unsigned group, uint32_t location)
{
	const struct cause_series *s = &j->m.series;

	return s->core ? sum_cells(j, s->core + series_at(s, group, location)) : 0;
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

/* ---- how much ---- */

/* A region has what its call paths have that are groups of their own, too. */
static void add_groups(struct judging *j, const struct imbalance *all, unsigned group)
{
	const struct cause_series *s = &j->m.series;
	const size_t cells = (size_t)s->locations * s->cells;

	for (unsigned i = 0; i < group; i++)
		if (is_in(j, all[i].path, &all[group]))
			for (size_t k = 0; k < cells; k++) {
				s->time[group * cells + k] += s->time[i * cells + k];
				if (s->core)
					s->core[group * cells + k] += s->core[i * cells + k];
			}
}

/* Of a region; returns the mean. */
static double find_over_region(struct judging *j, unsigned group, uint32_t compared)
{
	double sum = 0, mean;

	for (uint32_t l = 0; l < j->m.series.locations; l++) {
		j->over[l] = j->compared[l] ? (double)sum_of(j, group, l) : 0;
		sum += j->over[l];
	}
	mean = compared ? sum / compared : 0;
	for (uint32_t l = 0; l < j->m.series.locations; l++)
		j->over[l] -= j->compared[l] ? mean : 0;
	return mean;
}

/* Of a call path, as the metric has it, but for waits for a core. What may be the error of an
 * estimate has none there. */
static void find_over(struct judging *j, unsigned group, uint32_t path, uint32_t compared)
{
	const struct cube *cube = j->m.cube;
	const bool estimated = cube_has(cube, CUBE_ESTIMATED);
	double core = 0;

	cube_by_location(cube, CUBE_IMBALANCE_ABOVE, path, false, j->over);
	cube_by_location(cube, CUBE_IMBALANCE_BELOW, path, false, j->by_place);
	for (uint32_t l = 0; l < j->m.series.locations; l++)
		core += j->compared[l] ? (double)core_of(j, group, l) : 0;
	for (uint32_t l = 0; l < j->m.series.locations; l++) {
		const bool none = estimated && j->over[l] <= 0 && j->by_place[l] <= 0;
		j->over[l] -= j->by_place[l];
		if (j->compared[l] && !none)
			j->over[l] -= (double)core_of(j, group, l) - core / compared;
	}
}

static void find_excess(struct judging *j, const bool *chosen, unsigned group, struct imbalance *of)
{
	const uint32_t n = j->m.series.locations, compared = find_compared(j, group);

	of->location = of->farthest = UINT32_MAX;
	of->mean = of->above = of->deviation = 0;
	if (of->path == UINT32_MAX)
		of->mean = find_over_region(j, group, compared);
	else
		find_over(j, group, of->path, compared);
	for (uint32_t l = 0; l < n; l++) {
		if (chosen && of->path != UINT32_MAX && !chosen[l])
			continue;
		of->above += fmax(j->over[l], 0);
		if (of->location == UINT32_MAX || j->over[l] > j->over[of->location])
			of->location = l;
		if (of->farthest == UINT32_MAX || fabs(j->over[l]) > fabs(of->deviation)) {
			of->farthest = l;
			of->deviation = j->over[l];
		}
	}
	if (of->location == UINT32_MAX)
		of->location = of->farthest = 0;
	of->more = j->over[of->location];
	of->core = j->m.series.core ? (double)core_of(j, group, of->location) : -1;
}

/* ---- what kind ---- */

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

/* Whether the location computes less elsewhere, so that no rank waits for it: but for waits for a
 * core. */
static bool is_evened(struct judging *j, const struct imbalance *of, unsigned group)
{
	double costs = 0, time = 0, core = 0;

	for (uint32_t p = 0; p < j->m.plain.n; p++)
		costs += is_in(j, p, of) ? j->costs[p] : 0;
	for (uint32_t l = 0; l < j->m.series.locations; l++) {
		time += (double)sum_of(j, group, l);
		core += (double)core_of(j, group, l);
	}
	if (core > 0)
		costs *= time / (time + core);
	return fabs(j->elsewhere[of->location]) < EVENED_LEFT * of->more + fmax(of->core, 0) &&
	       costs < EVENED_COST * of->above;
}

bool imbalance_judge(const struct causes *causes, const struct cube *cube, int64_t t0, int64_t t1,
		     const bool *chosen, const struct cause_names *names,
		     const struct progress *progress, struct imbalance *of, unsigned n)
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
		j.over = xcalloc(locations, sizeof *j.over);
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
				add_groups(&j, of, i);
			find_excess(&j, chosen, i, &of[i]);
			judge(&j, names, i, n, &of[i]);
			if (is_evened(&j, &of[i], i) && of[i].kind != IMBALANCE_NAMED &&
			    of[i].kind != IMBALANCE_NOISE)
				of[i].kind = IMBALANCE_EVENED;
		}
		free_all(j.compared, j.mean, j.values, j.over, j.by_place, j.costs, j.elsewhere);
	}
	naming_end(m);
	return done;
}
