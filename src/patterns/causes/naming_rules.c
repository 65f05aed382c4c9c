/* Which rule names a call path that is charged with much. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "patterns/causes/naming_state.h"
#include "patterns/severity/region_metric.h"

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
#define TURNS_CORE         0.10
#define TURNS_RANK         0.05 /* of the sum, of at least two ranks */
#define TURNS_OVERLAP      0.2
#define KIND_PART          0.6 /* of the excess that a kind explains */
#define NOT_CALLED         0.05
#define MORE_BYTES         1.5
#define SCATTER            1.4826 /* of a normal distribution: deviation / median deviation */

ORDERING_OF_NUMBERS(by_value, double)

static double median_of(double *values, size_t n)
{
	if (!n)
		return 0;
	SORT(values, n, by_value);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

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
	double cost;
	struct excess_series excess;
};

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

static void find_excess(struct rule_of *r)
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

static void excess_fini(struct excess_series *e)
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

/* In all of the window. */
static uint64_t visits_in_all(const struct rule_of *r, uint32_t location)
{
	uint64_t n = 0;

	for (uint32_t k = 0; k < r->s->cells; k++)
		n += r->s->visits[series_at(r->s, r->row, location) + k];
	return n;
}

/* Over the others; with `having`, over those that have some of it, if there are such. */
static double median_of_others(const struct rule_of *r, const double *by_location,
			       const double *having)
{
	OWNED double *values = xmalloc(((size_t)r->s->locations + 1) * sizeof *values);
	size_t n = 0;

	for (uint32_t l = 0; l < r->s->locations; l++)
		if (l != r->location && r->s->there[l] && (!having || having[l] > 0))
			values[n++] = by_location[l];
	return n || !having ? median_of(values, n) : median_of_others(r, by_location, NULL);
}

static void fill_rates(const struct rule_of *r, struct named_cause *c)
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
	c->others_calls = median_of_others(r, calls, NULL);
	c->others_time = median_of_others(r, time, NULL);
	if (!r->group->mpi)
		return;
	cube_by_location(r->m->cube, CUBE_BYTES, r->group->path, false, bytes);
	for (uint32_t l = 0; l < n; l++)
		bytes[l] /= iterations_of_series(s);
	/* Ranks that transfer nothing there say nothing about a transfer. */
	c->bytes = bytes[r->location];
	c->others_bytes = median_of_others(r, bytes, bytes);
	c->others_calls = median_of_others(r, calls, bytes);
	c->others_time = median_of_others(r, time, bytes);
}

/* ---- kinds ---- */

/* Whether a call of MPI moves the data itself: else its time is that of others. */
static bool moves_bytes(const struct rule_of *r)
{
	switch (region_call(r->m->trace, trace_callpath_region(r->m->trace, r->group->path))) {
	case CALL_SEND:
	case CALL_SEND_LOCAL:
	case CALL_RECV:
	case CALL_SENDRECV: return true;
	default: return false;
	}
}

static enum cause_kind kind_of_work(const struct named_cause *c)
{
	const double each = c->others_calls > 0 ? c->others_time / c->others_calls : 0;
	const double excess = c->time - c->others_time;

	/* A function that was open all the time, or none. */
	if (c->calls <= 0 && c->others_calls <= 0)
		return CAUSE_LONGER_CALLS;
	if (c->others_calls < NOT_CALLED)
		return CAUSE_OTHER_PATH;
	if ((c->calls - c->others_calls) * each >= KIND_PART * excess)
		return CAUSE_MORE_CALLS;
	if (c->calls > 0 && c->others_calls * (c->time / c->calls - each) >= KIND_PART * excess)
		return CAUSE_LONGER_CALLS;
	return CAUSE_MORE_AND_LONGER;
}

/* Of a call that moves bytes; CAUSE_KINDS: none that can be named. */
static enum cause_kind kind_of_transfer(const struct rule_of *r, const struct named_cause *c)
{
	enum cause_kind kind;

	if (!moves_bytes(r))
		return CAUSE_KINDS;
	if (c->calls > 0 && c->others_calls > 0 && c->others_bytes > 0 &&
	    c->bytes / c->calls > MORE_BYTES * c->others_bytes / c->others_calls)
		return CAUSE_MORE_BYTES;
	kind = kind_of_work(c);
	if (kind == CAUSE_MORE_CALLS)
		return kind;
	if (c->bytes > MORE_BYTES * c->others_bytes && c->bytes > 0)
		return CAUSE_MORE_BYTES;
	return c->bytes > 0 ? CAUSE_FEWER_BYTES : CAUSE_KINDS;
}

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

/* Whether most of its excess was in few iterations: those are described. */
static bool is_few(const struct rule_of *r, struct named_cause *c)
{
	const struct excess_series *e = &r->excess;
	const double least = FEW_SCATTERS * fmax(e->scatter, FEW_ITERATION * r->s->length);
	double sum = 0, time = 0, others = 0;
	uint32_t last = 0, distance = 0;
	bool regular = true;

	c->hits = 0;
	for (uint32_t i = 0; i < e->n; i++) {
		if (e->x[i] < least || e->x[i] <= 0)
			continue;
		if (c->hits > 0) {
			regular = regular && (!distance || e->cell[i] - last == distance);
			distance = e->cell[i] - last;
		} else {
			c->first = iteration_of(r->s, e->cell[i]);
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
	c->every = regular && c->hits > 2 && r->s->each == 1 ? distance : 0;
	if (!c->every && sum < FEW_IRREGULAR * r->s->length * c->hits &&
	    r->cost < FEW_IRREGULAR_CORE * r->m->core) {
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
	if (!r->s->iterating)
		return e->x[0] > 0 && r->cost >= SAME_CORE_AT_ONCE * r->m->core;
	return e->median >= SAME_ITERATION * r->s->length &&
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

/* The slowest rank of each cell beside the median of the others. */
struct slowest_series {
	size_t n;
	uint32_t *cell;             /* [n] */
	double *most, *rest, *more; /* [n] ticks */
	double median, sum;         /* of `more` */
};

static void find_slowest(const struct rule_of *r, struct slowest_series *of)
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

static void slowest_fini(struct slowest_series *of)
{
	free_all(of->cell, of->most, of->rest, of->more);
}

static bool is_rotating(const struct rule_of *r, const struct slowest_series *of,
			struct named_cause *c)
{
	if (!of->n || of->median < ROTATING_PART * r->s->length ||
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
	if (c->hits < 2 || 2 * c->hits > of->n || sum < FEW_PART * above ||
	    r->group->sum < FEW_OTHERS_CORE * r->m->core) {
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
		ranks += r->group->cost[l] >= TURNS_RANK * r->group->sum;
	return r->group->sum >= TURNS_CORE * r->m->core && ranks >= 2 &&
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
		if (r->s->there[l])
			visits[l] = (double)visits_in_all(r, l);
	return visits[r->location] > 0 && median_of_others(r, visits, NULL) <= 0;
}

/* One location, or what it waited for inside of MPI; CAUSE_KINDS: no rule holds. */
static enum cause_kind kind_at(const struct rule_of *r, struct named_cause *c)
{
	const bool work = !r->group->mpi, alone = r->cost >= ALONE_PART * r->group->sum;

	if (r->cost < SAME_PART * r->group->sum || !r->s->there[r->location])
		return CAUSE_KINDS;
	fill_rates(r, c);
	if (work && alone && is_late_start(r)) {
		c->time = r->excess.x[0] + r->excess.others[0];
		c->others_time = r->excess.others[0];
		return CAUSE_LATE_START;
	}
	if (work && alone && is_few(r, c))
		return is_alone(r) && c->hits > 2 ? CAUSE_OTHER_PATH : CAUSE_FEW_ITERATIONS;
	if (!is_same_rank(r) || (!alone && !is_steady(r)))
		return CAUSE_KINDS;
	if (!work && naming_progress(r->m, r->row, r->location, r->excess.above, c))
		return CAUSE_NO_PROGRESS;
	return work ? kind_of_work(c) : kind_of_transfer(r, c);
}

/* Another location each time; CAUSE_KINDS: no rule holds. */
static enum cause_kind kind_of_several(const struct rule_of *r, struct named_cause *c)
{
	struct slowest_series of;
	enum cause_kind kind = CAUSE_KINDS;

	find_slowest(r, &of);
	if (r->group->sum < SAME_COST * of.sum)
		kind = CAUSE_KINDS;
	else if (is_few_of_several(r, &of, c))
		kind = CAUSE_FEW_ITERATIONS;
	else if (is_rotating(r, &of, c))
		kind = CAUSE_ROTATING;
	else if (is_in_turns(r))
		kind = CAUSE_SERIALISATION;
	slowest_fini(&of);
	return kind;
}

bool naming_rule(const struct naming *m, unsigned row, unsigned nth, struct named_cause *c)
{
	struct rule_of r = { .m = m, .s = &m->series, .group = &m->groups[row], .row = row };

	find_location(&r, nth);
	find_excess(&r);
	memset(c, 0, sizeof *c);
	c->path = r.group->path;
	c->location = r.location;
	c->cost = r.cost;
	c->kind = kind_at(&r, c);
	if (c->kind == CAUSE_KINDS && !r.group->mpi && nth == 0) {
		c->location = UINT32_MAX;
		c->cost = r.group->sum;
		c->kind = kind_of_several(&r, c);
	}
	excess_fini(&r.excess);
	c->share = m->waiting > 0 ? fmin(c->cost / m->waiting, 1) : 0;
	return c->kind != CAUSE_KINDS;
}
