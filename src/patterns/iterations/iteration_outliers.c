#include "patterns/iterations/iteration_outliers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/chance.h"
#include "base/median.h"
#include "base/mem.h"
#include "base/robust.h"
#include "patterns/iterations/iteration_polish.h"

enum { HITS_ROTATING = 8, HITS_HICCUPS = 7, HITS_ALONE = 2 };

#define NAMED         0.4   /* share of the imbalance above scatter */
#define LEAST_ABOVE   0.005 /* of all typical times */
#define TREND_Z       4.0
#define TREND_LEAST   0.05 /* of the typical time, over all iterations */
#define SAME_LEAST    0.03 /* of the typical time */
#define SAME_ERRORS   4.0  /* standard errors of a median */
#define CELL_SCATTERS 4.5
#define CELL_LEAST    0.05
/* That a rank's sum is so large by chance. */
#define CHANCE        0.05
#define HICCUPS_PART  0.1  /* of the iterations */
#define LARGE         0.25 /* of the largest hit */
#define LARGE_PART    0.5  /* of all hits' cover */
#define SLOW_SCATTERS 6.0
#define SLOW_LEAST    0.1

static bool has_trend(const struct polish *p, const double *series, double *slope, double *middle)
{
	if (fabs(trend_significance(series, p->columns)) < TREND_Z)
		return false;
	*slope = trend_slope(series, p->columns, middle);
	return fabs(*slope) * p->columns >= TREND_LEAST * p->mean;
}

/* Before the ranks' effects are looked at, which would take a trend for a constant. */
static void find_trends(struct polish *p)
{
	for (uint32_t l = 0; l < p->rows; l++) {
		double slope = 0;
		for (uint32_t k = 0; k < p->columns; k++)
			p->line[k] = p->e[(size_t)l * p->columns + k] + p->a[l];
		if (has_trend(p, p->line, &slope, &p->level[l]))
			p->slope[l] = slope;
	}
}

static bool drifts(const struct polish *p, uint32_t l)
{
	return p->slope[l] < 0 || p->slope[l] > 0;
}

/* Whether a rank's sum is farther from the mean of all than its scatter lets expect. */
static bool is_steady(struct polish *p, uint32_t l)
{
	double sum = 0;

	for (uint32_t k = 0; k < p->columns; k++) {
		double mean = 0;
		for (uint32_t m = 0; m < p->rows; m++)
			mean += p->x[(size_t)m * p->columns + k] / p->rows;
		p->line[k] = p->x[(size_t)l * p->columns + k] - mean;
		sum += p->line[k];
	}
	return sum > chance_of_sum(p->line, p->columns, CHANCE / p->rows);
}

static void find_same(struct polish *p)
{
	const double error = ROBUST_MEDIAN_ERROR * p->sigma / sqrt(p->columns);

	for (uint32_t l = 0; l < p->rows; l++)
		p->same[l] = !drifts(p, l) && p->a[l] >= SAME_LEAST * p->mean &&
			     p->a[l] >= p->noise && p->a[l] >= SAME_ERRORS * error;
}

/* The rest of the slowest rank, if it is large for a single cell; else 0. */
static double hit_of(const struct polish *p, uint32_t k)
{
	const uint32_t l = p->who[k];
	const double e = p->e[(size_t)l * p->columns + k];

	return !drifts(p, l) && e > fmax(CELL_SCATTERS * p->sigma, CELL_LEAST * p->mean) ? e : 0;
}

static double trend_at(const struct polish *p, uint32_t l, uint32_t k)
{
	return p->level[l] + p->slope[l] * (k - (p->columns - 1) / 2.0);
}

/* What a rank's effect or trend covers, by rank. */
static void cover_ranks(const struct polish *p, double *same, double *drift)
{
	for (uint32_t k = 0; k < p->columns; k++) {
		const uint32_t l = p->who[k];
		if (p->same[l])
			same[l] += fmin(p->cost[k], p->a[l]);
		if (drifts(p, l))
			drift[l] += fmin(p->cost[k], fmax(trend_at(p, l, k), 0));
	}
}

static uint32_t largest_of(const double *values, uint32_t n, uint32_t *above, double *sum)
{
	uint32_t largest = 0;

	*sum = 0;
	*above = 0;
	for (uint32_t i = 0; i < n; i++) {
		*sum += values[i];
		*above += values[i] > 0;
		if (values[i] > values[largest])
			largest = i;
	}
	return largest;
}

struct hits {
	uint32_t n, worst;
	uint32_t most, row; /* hits of the rank that has most */
	double covered, more, largest;
	bool regular; /* as far apart, from the first iterations to the last */
};

/* Those of at least so much. */
static void find_hits_from(const struct polish *p, double least, struct hits *h)
{
	OWNED uint32_t *of = xcalloc(p->rows, sizeof *of);
	uint32_t first = 0, last = 0, distance = 0;

	*h = (struct hits){ .regular = true };
	for (uint32_t k = 0; k < p->columns; k++) {
		const double e = hit_of(p, k);
		if (e <= 0 || e < least)
			continue;
		if (h->n) {
			h->regular = h->regular && (h->n == 1 || k - last == distance);
			distance = k - last;
		} else {
			first = k;
		}
		last = k;
		if (!h->n || p->cost[k] > p->cost[h->worst])
			h->worst = k;
		p->line[h->n++] = e;
		h->covered += fmin(p->cost[k], e);
		h->largest = fmax(h->largest, e);
		if (++of[p->who[k]] > h->most) {
			h->most = of[p->who[k]];
			h->row = p->who[k];
		}
	}
	h->regular = h->regular && h->n > HITS_ALONE && first < distance &&
		     last + distance >= p->columns;
	h->more = median_of(p->line, h->n);
}

/* Without those that are small beside the largest, if these are what counts. */
static void find_hits(const struct polish *p, struct hits *h)
{
	struct hits large;

	find_hits_from(p, 0, h);
	find_hits_from(p, LARGE * h->largest, &large);
	if (large.covered >= LARGE_PART * h->covered)
		*h = large;
}

/* Whether the hits may be the machine's, as of causes (patterns/causes/naming_rules.c). */
static bool are_hiccups(struct polish *p, const struct hits *h, enum outlier_kind kind)
{
	const double each = h->n <= HITS_ALONE ? 2 * p->hiccup : p->hiccup;

	if (h->regular || h->covered >= each * h->n)
		return false;
	if (kind == OUTLIERS_ROTATING)
		return 2 * h->n <= p->columns;
	return h->n <= HITS_HICCUPS ||
	       ((kind == OUTLIERS_OFTEN || h->most <= HITS_HICCUPS) && !is_steady(p, h->row));
}

static enum outlier_kind kind_of_hits(const struct polish *p, const struct hits *h)
{
	if (h->n >= fmax(HITS_ROTATING, 0.3 * p->columns) &&
	    h->most <= fmax(h->n / 2.0, 3.0 * h->n / p->rows + 3))
		return OUTLIERS_ROTATING;
	return h->n <= fmax(1, 0.2 * p->columns) ? OUTLIERS_FEW : OUTLIERS_OFTEN;
}

/* Whether each rank takes longer than it does otherwise, by at least so much. */
static bool all_longer(const struct polish *p, uint32_t k, double least)
{
	for (uint32_t l = 0; l < p->rows; l++)
		if (p->b[k] + p->e[(size_t)l * p->columns + k] < least)
			return false;
	return true;
}

static void find_slow(struct polish *p, struct iteration_outliers *o)
{
	const double least =
		fmax(SLOW_SCATTERS * robust_scatter(p->b, p->columns), SLOW_LEAST * p->mean);
	double slope = 0, middle;

	for (uint32_t k = 0; k < p->columns; k++) {
		if (p->b[k] <= least || !all_longer(p, k, least / 2))
			continue;
		if (!o->slow++ || p->b[k] > p->b[o->slowest])
			o->slowest = k;
	}
	if (o->slow)
		o->slower = p->b[o->slowest] / p->mean;
	for (uint32_t k = 0; k < p->columns; k++)
		p->line[k] = p->mean + p->b[k];
	if (has_trend(p, p->line, &slope, &middle))
		o->drift = slope * p->columns / p->mean;
}

/* ---- all ---- */

static void take_hits(const struct polish *p, struct iteration_outliers *o, const struct hits *h)
{
	o->hits = h->n;
	o->worst = h->worst;
	o->more = h->more;
	o->row = o->kind == OUTLIERS_OFTEN ? h->row : p->who[h->worst];
}

/* Names the kind that covers most. `largest` and `rows`: of OUTLIERS_SAME and OUTLIERS_DRIFT. */
static void take_name(const struct polish *p, struct iteration_outliers *o, const double *covered,
		      const struct hits *h, const uint32_t *largest, const uint32_t *rows)
{
	double best = 0;

	for (int i = 0; i < OUTLIER_KINDS; i++)
		if (covered[i] > best) {
			best = covered[i];
			o->kind = (enum outlier_kind)i;
		}
	if (best < NAMED * (o->lost - o->scatter))
		o->kind = OUTLIERS_NONE;
	switch (o->kind) {
	case OUTLIERS_NONE: return;
	case OUTLIERS_DRIFT:
	case OUTLIERS_SAME:
		o->row = largest[o->kind];
		o->rows = rows[o->kind];
		o->more = o->kind == OUTLIERS_SAME ? p->a[o->row] : p->slope[o->row] * p->columns;
		return;
	default: take_hits(p, o, h);
	}
}

/* What is covered has scatter in it, too, and several kinds may cover an iteration: no cost counts
 * twice, the largest kind comes first. Empties `covered`. */
static void share_out(struct iteration_outliers *o, double *covered)
{
	double left = o->lost - o->scatter;

	for (int n = 0; n < OUTLIER_KINDS; n++) {
		int most = 0;
		for (int i = 1; i < OUTLIER_KINDS; i++)
			if (covered[i] > covered[most])
				most = i;
		const double part = fmin(fmax(covered[most], 0), left);
		if (part > 0)
			o->share[most] = part / o->lost;
		left -= part;
		covered[most] = -1;
	}
	o->unknown = left / o->lost;
}

static void explain(struct polish *p, struct iteration_outliers *o)
{
	OWNED double *same = xcalloc(p->rows, sizeof *same);
	OWNED double *drift = xcalloc(p->rows, sizeof *drift);
	uint32_t largest[OUTLIERS_SAME + 1], rows[OUTLIERS_SAME + 1];
	double covered[OUTLIER_KINDS] = { 0 };
	enum outlier_kind kind;
	bool hiccups;
	struct hits h;

	cover_ranks(p, same, drift);
	largest[OUTLIERS_SAME] =
		largest_of(same, p->rows, &rows[OUTLIERS_SAME], &covered[OUTLIERS_SAME]);
	largest[OUTLIERS_DRIFT] =
		largest_of(drift, p->rows, &rows[OUTLIERS_DRIFT], &covered[OUTLIERS_DRIFT]);
	find_hits(p, &h);
	kind = kind_of_hits(p, &h);
	hiccups = are_hiccups(p, &h, kind);
	if (!hiccups)
		covered[kind] = h.covered;
	take_name(p, o, covered, &h, largest, rows);
	if (hiccups) {
		o->scatter = fmin(o->scatter + h.covered, o->lost);
		if (o->kind == OUTLIERS_NONE)
			take_hits(p, o, &h);
	}
	share_out(o, covered);
}

void iteration_outliers_find(struct iteration_outliers *o, const double *x, uint32_t rows,
			     uint32_t columns, double hiccup, double noise)
{
	struct polish p;
	double largest_of_normal, above;

	*o = (struct iteration_outliers){ .kind = OUTLIERS_NONE };
	if (rows < 2 || columns < 3)
		return;
	largest_of_normal = normal_quantile((rows - 0.375) / (rows + 0.25));
	polish_init(&p, x, rows, columns);
	p.hiccup = hiccup;
	p.noise = noise;
	o->typical = p.mean;
	for (uint32_t k = 0; k < columns; k++)
		o->lost += p.cost[k];
	o->scatter = fmin(columns * p.sigma * largest_of_normal, o->lost);
	above = o->lost - o->scatter;
	find_slow(&p, o);
	if (p.mean > 0 && above >= LEAST_ABOVE * p.mean * columns) {
		find_trends(&p);
		find_same(&p);
		explain(&p, o);
	} else if (o->lost > 0) {
		o->unknown = above / o->lost;
	}
	polish_fini(&p);
}
