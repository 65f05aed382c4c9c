/* Which rule names a call path that is charged with much. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/median.h"
#include "base/mem.h"
#include "model/trace/crowd.h"
#include "model/trace/halo.h"
#include "patterns/causes/naming_rules.h"

/* Thresholds, of the core time unless said otherwise: doc/patterns.md. */
/* Share of the costs of a call path: of one location in few iterations; in most, of several. */
#define ALONE_PART  0.5
#define SAME_PART   0.3
#define STEADY_PART 0.9 /* of the iterations of one of several */

#define LATE_START_PART    0.7 /* of all that the rank did more */
#define LATE_START_CORE    0.05
#define FEW_PART           0.8
#define FEW_CORE           0.04
#define FEW_CORE_ALONE     0.10 /* with one or two iterations: a hiccup of a short run */
#define FEW_SCATTERS       10.0
#define FEW_ITERATION      0.01
/* Iterations: irregular ones, by more than a hiccup of the machine, unless they cost much. */
#define FEW_IRREGULAR      2.0
#define FEW_IRREGULAR_CORE 0.20
/* Eight times the same rank is hardly an accident: even of two processors, where ranks share them,
 * it is the same one with a chance of 1 in 2^7. */
#define HICCUP_HITS        7
#define HICCUP_PART        0.1 /* or so many of the iterations, if that is more */
/* Iterations: another rank each time, by more than a hiccup of the machine. */
#define FEW_OTHERS         3.0
#define FEW_OTHERS_CORE    0.10
#define SAME_ITERATION     0.02
#define SAME_SCATTERS      3.0
#define SAME_CORE          0.02
#define SAME_CORE_AT_ONCE  0.05 /* without iterations */
#define SAME_COST          0.5  /* of its excess: else it hardly made others wait */
#define ROTATING_PART      0.15 /* of an iteration */
#define ROTATING_CORE      0.05
#define ROTATING_MOST      0.5 /* of the iterations, that one rank may be the slowest in */
#define TURNS_CORE         0.10
#define TURNS_RANK         0.05 /* of the sum, of at least two ranks */
#define TURNS_OVERLAP      0.2

/* ---- rules ---- */

static bool is_late_start(const struct rule_of *r)
{
	const struct excess_series *e = &r->excess;

	return r->s->iterating && e->n > 0 && e->cell[0] == 0 &&
	       e->x[0] >= LATE_START_PART * e->above && e->x[0] > 0 &&
	       r->cost >= LATE_START_CORE * r->m->core;
}

/* Number of the first iteration in a cell, from 1; 0 before, one more than all after. */
static uint32_t iteration_of(const struct cause_series *s, uint32_t cell)
{
	return cell == 0 ? 0 : (cell - 1) * s->each + 1;
}

/* Whether cells so far apart go from the first iterations to the last ones: "every 5th". */
static bool is_throughout(const struct cause_series *s, uint32_t first, uint32_t last,
			  uint32_t distance)
{
	return first > 0 && first <= distance && last + distance > s->cells - 2;
}

/* Whether so many iterations that took so much longer may be the machine's. */
static bool may_be_hiccups(const struct rule_of *r, double sum, uint32_t hits)
{
	const double each = hits <= 2 ? HICCUP_ALONE : HICCUP;

	return sum < each * (double)trace_scale(r->m->trace)->per_second * hits;
}

/* Whether most of its excess was in few iterations: those are described. */
static bool is_few(const struct rule_of *r, struct named_cause *c)
{
	const struct excess_series *e = &r->excess;
	const double least = FEW_SCATTERS * fmax(e->scatter, FEW_ITERATION * r->s->length);
	double sum = 0, time = 0, others = 0;
	uint32_t first = 0, last = 0, distance = 0;
	bool regular = true;

	c->hits = 0;
	for (uint32_t i = 0; i < e->n; i++) {
		if (e->x[i] < least || e->x[i] <= 0)
			continue;
		if (c->hits > 0) {
			regular = regular && (!distance || e->cell[i] - last == distance);
			distance = e->cell[i] - last;
		} else {
			first = e->cell[i];
			c->first = iteration_of(r->s, first);
		}
		last = e->cell[i];
		c->hits++;
		sum += e->x[i];
		time += e->x[i] + e->others[i];
		others += e->others[i];
	}
	if (!r->s->iterating || !c->hits || 2 * c->hits > e->n || sum < FEW_PART * e->above ||
	    r->cost < (c->hits <= 2 ? FEW_CORE_ALONE : FEW_CORE) * r->m->core) {
		c->hits = c->first = 0;
		return false;
	}
	/* Neighbours are as far apart: those of a busy moment. */
	regular = regular && c->hits > 2 && r->s->each == 1 &&
		  is_throughout(r->s, first, last, distance);
	if (regular)
		c->every = distance;
	if (!regular && ((c->hits <= fmax(HICCUP_HITS, HICCUP_PART * e->n) &&
			  may_be_hiccups(r, sum, c->hits)) ||
			 (sum < FEW_IRREGULAR * r->s->length * c->hits &&
			  r->cost < FEW_IRREGULAR_CORE * r->m->core))) {
		c->hits = c->first = 0;
		return false;
	}
	c->time = time / c->hits;
	c->others_time = others / c->hits;
	return true;
}

static bool is_same_rank(const struct rule_of *r)
{
	const struct excess_series *e = &r->excess;

	if (!e->n || r->cost < SAME_COST * e->above)
		return false;
	if (!r->s->iterating || !r->s->there[r->location])
		return e->x[0] > naming_core_noise(r->s, r->row) &&
		       r->cost >= SAME_CORE_AT_ONCE * r->m->core;
	return e->median >= SAME_ITERATION * r->s->length &&
	       e->median >= naming_core_noise(r->s, r->row) &&
	       e->median >= SAME_SCATTERS * e->scatter / sqrt(e->n) &&
	       r->cost >= SAME_CORE * r->m->core;
}

/* Whether it did more in nearly all iterations, not now this and now that location. */
static bool is_steady(const struct rule_of *r)
{
	const struct excess_series *e = &r->excess;
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->n; i++)
		n += e->x[i] >= e->median / 2;
	return n >= STEADY_PART * e->n;
}

/* Whether one location is the slowest more often than by chance: costs that go through many ranks
 * are spread over all of these. */
static bool is_usual(const struct rule_of *r, const struct slowest_series *of)
{
	const double n = (double)of->n;

	return of->n && of->median >= SAME_ITERATION * r->s->length &&
	       of->median >= naming_core_noise(r->s, r->row) &&
	       of->times > fmax(ROTATING_MOST * n, 3 * n / of->callers + 3);
}

static bool is_rotating(const struct rule_of *r, const struct slowest_series *of,
			struct named_cause *c)
{
	if (!of->n || of->median < ROTATING_PART * r->s->length ||
	    of->median < naming_core_noise(r->s, r->row) ||
	    r->group->sum < ROTATING_CORE * r->m->core)
		return false;
	c->time = median_of(of->most, of->n) / r->s->each;
	c->others_time = median_of(of->rest, of->n) / r->s->each;
	return true;
}

/* Whether most excess of the slowest ranks was in few iterations, whichever rank it was. */
static bool is_few_of_several(const struct rule_of *r, const struct slowest_series *of,
			      struct named_cause *c)
{
	const double least = fmax(FEW_SCATTERS * of->median, FEW_OTHERS * r->s->length);
	double sum = 0, above = 0, time = 0, others = 0;

	for (size_t i = 0; i < of->n; i++) {
		above += of->more[i];
		if (of->more[i] < least)
			continue;
		if (!c->hits++)
			c->first = iteration_of(r->s, of->cell[i]);
		sum += of->more[i];
		time += of->most[i];
		others += of->rest[i];
	}
	if (c->hits < 2 || 2 * c->hits > of->n || may_be_hiccups(r, sum, c->hits) ||
	    sum < FEW_PART * above || r->group->sum < FEW_OTHERS_CORE * r->m->core) {
		c->hits = c->first = 0;
		return false;
	}
	c->time = time / c->hits;
	c->others_time = others / c->hits;
	return true;
}

static bool is_in_turns(const struct rule_of *r)
{
	uint32_t ranks = 0;

	for (uint32_t l = 0; l < r->s->locations; l++)
		ranks += r->group->cost_with_core[l] >= TURNS_RANK * r->group->sum_with_core;
	return r->group->sum_with_core >= TURNS_CORE * r->m->core && ranks >= 2 &&
	       naming_overlap(r->m, r->row) <= TURNS_OVERLAP;
}

/* ---- a group ---- */

/* The location with the nth largest cost, from 0; of equal ones the lower first. */
static void find_location(struct rule_of *r, unsigned nth)
{
	const double *cost = r->group->cost;

	for (unsigned i = 0; i <= nth; i++) {
		const double most = i ? r->cost : INFINITY;
		const uint32_t last = r->location;
		r->cost = 0;
		for (uint32_t l = 0; l < r->s->locations; l++)
			if ((cost[l] < most || (i && l > last && cost[l] <= most)) &&
			    cost[l] > r->cost) {
				r->cost = cost[l];
				r->location = l;
			}
	}
}

/* Whether only this location calls it. */
static bool is_alone(const struct rule_of *r)
{
	OWNED double *visits = xcalloc((size_t)r->s->locations + 1, sizeof *visits);

	for (uint32_t l = 0; l < r->s->locations; l++)
		if (r->s->active[l])
			visits[l] = (double)rule_visits(r, l);
	return visits[r->location] > 0 && rule_median_of_others(r, visits, NULL) <= 0;
}

/* What it did more in each iteration: single long ones are the machine's. */
static double steady_excess(const struct rule_of *r)
{
	return fmin(r->excess.above, r->excess.median * r->excess.n);
}

/* One location, or what it waited for inside of MPI; `usual`: it is the slowest in most iterations.
 * CAUSE_KINDS: no rule holds. */
static enum cause_kind kind_at(const struct rule_of *r, bool usual, struct named_cause *c)
{
	const bool work = !r->group->mpi, alone = r->cost >= ALONE_PART * r->group->sum;

	if (usual && r->s->active[r->location] && is_same_rank(r)) {
		rule_fill_rates(r, c);
		return cause_kind_of_work(c);
	}
	if (r->cost < SAME_PART * r->group->sum || !r->s->active[r->location])
		return CAUSE_KINDS;
	rule_fill_rates(r, c);
	if (work && alone && is_late_start(r)) {
		c->time = r->excess.x[0] + r->excess.others[0];
		c->others_time = r->excess.others[0];
		return CAUSE_LATE_START;
	}
	if (work && alone && is_few(r, c))
		return is_alone(r) && c->hits > 2 ? CAUSE_OTHER_PATH : CAUSE_FEW_ITERATIONS;
	if (!is_same_rank(r) || (!alone && !is_steady(r)))
		return CAUSE_KINDS;
	if (!work && naming_progress(r->m, r->row, r->location, steady_excess(r), c))
		return CAUSE_NO_PROGRESS;
	return work                                             ? cause_kind_of_work(c)
	       : cause_moves_bytes(r->m->trace, r->group->path) ? cause_kind_of_transfer(c)
								: CAUSE_KINDS;
}

/* Another location each time; CAUSE_KINDS: no rule holds. *usual: the location that it is in most
 * iterations, UINT32_MAX: none. */
static enum cause_kind kind_of_several(const struct rule_of *r, struct named_cause *c,
				       uint32_t *usual)
{
	struct slowest_series of;
	enum cause_kind kind = CAUSE_KINDS;

	rule_find_slowest(r, &of);
	*usual = UINT32_MAX;
	c->cost = r->group->sum;
	if (c->cost >= SAME_COST * of.sum) {
		if (is_few_of_several(r, &of, c))
			kind = CAUSE_FEW_ITERATIONS;
		else if (is_usual(r, &of))
			*usual = of.usual;
		else if (is_rotating(r, &of, c))
			kind = CAUSE_ROTATING;
	}
	/* Ranks that take turns make others wait by what they do, not by what they do more. */
	if (kind == CAUSE_KINDS && *usual == UINT32_MAX &&
	    r->group->sum_with_core >= SAME_COST * of.sum && is_in_turns(r)) {
		kind = CAUSE_SERIALISATION;
		c->cost = r->group->sum_with_core;
	}
	rule_slowest_fini(&of);
	return kind;
}

/* The only one that it is compared with. */
static uint32_t single_other(const struct rule_of *r)
{
	uint32_t other = UINT32_MAX, n = 0;

	for (uint32_t l = 0; l < r->s->locations; l++)
		if (l != r->location && r->compared[l]) {
			other = l;
			n++;
		}
	return n == 1 ? other : UINT32_MAX;
}

static void name_location(struct rule_of *r, bool usual, struct named_cause *c)
{
	rule_find_excess(r);
	c->other = single_other(r);
	c->location = r->location;
	c->cost = r->cost;
	c->kind = kind_at(r, usual, c);
	rule_excess_fini(r);
}

static void name_several(struct rule_of *r, struct named_cause *c)
{
	uint32_t usual;

	c->location = UINT32_MAX;
	c->kind = kind_of_several(r, c, &usual);
	if (c->kind != CAUSE_KINDS || usual == UINT32_MAX)
		return;
	r->location = usual;
	r->cost = r->group->cost[usual];
	name_location(r, true, c);
}

static enum cause_place place_of(const struct naming *m, unsigned row, uint32_t location)
{
	struct idle_walk idle;

	if (location == UINT32_MAX || !stream_idle_has(m->causes->idle, location))
		return CAUSE_HERE;
	idle = stream_idle_walk(m->causes->idle, location, m->t0);
	for (; idle.at < idle.end && idle.at->from < m->t1; idle.at++)
		if (m->group_of[idle.at->path] == row)
			return location_runs_code(trace_location(m->trace, idle.at->location))
				       ? CAUSE_ON_HOST
				       : CAUSE_ON_STREAM;
	return m->groups[row].path ? CAUSE_HERE : CAUSE_ON_HOST;
}

bool naming_rule(const struct naming *m, unsigned row, unsigned nth, struct named_cause *c)
{
	struct rule_of r = { .m = m, .s = &m->series, .group = &m->groups[row], .row = row };

	find_location(&r, nth);
	memset(c, 0, sizeof *c);
	c->path = r.group->path;
	name_location(&r, false, c);
	if (c->kind == CAUSE_KINDS && !r.group->mpi && nth == 0) {
		memset(c, 0, sizeof *c);
		c->path = r.group->path;
		name_several(&r, c);
	}
	c->share = m->waiting > 0 ? fmin(c->cost / m->waiting, 1) : 0;
	c->place =
		(uint32_t)exchange_latest(trace_exchange(m->trace), place_of(m, row, c->location));
	return c->kind != CAUSE_KINDS;
}
