#include "correct/overhead/overhead_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/median.h"
#include "base/mem.h"

enum { TERMS = 4, COST = 2, TIMES_MOST = 3 };

/* Median absolute deviations to standard deviations, of a normal distribution. */
static const double deviation_of_mad = 1.48;

/* A term of each parameter, and the value that they add up to. */
struct equation {
	double term[TERMS], value, weight;
};

struct fit_work {
	struct fit_segment *list; /* what is left */
	double *value, *sorted;
	size_t n;
};

/* ---- dropping what was interrupted ---- */

/* The value above which a segment is dropped: `factor` standard deviations, a share of the median
 * and `extra` above the median of those of `gap`, or of all. */
static double limit_of(const struct fit_work *w, const bool *gap, double factor, double share,
		       double extra, size_t *count)
{
	size_t n = 0;
	double middle;

	for (size_t i = 0; i < w->n; i++)
		if (!gap || w->list[i].gap == *gap)
			w->sorted[n++] = w->value[i];
	*count = n;
	if (n == 0)
		return INFINITY;
	middle = median_of(w->sorted, n);
	for (size_t i = 0; i < n; i++)
		w->sorted[i] = fabs(w->sorted[i] - middle);
	return middle + factor * deviation_of_mad * median_of(w->sorted, n) + share * middle +
	       extra;
}

static size_t gaps_of(const struct fit_work *w)
{
	size_t gaps = 0;

	for (size_t i = 0; i < w->n; i++)
		gaps += w->list[i].gap;
	return gaps;
}

static void drop(struct fit_work *w, size_t at)
{
	w->n--;
	memmove(&w->list[at], &w->list[at + 1], (w->n - at) * sizeof *w->list);
	memmove(&w->value[at], &w->value[at + 1], (w->n - at) * sizeof *w->value);
}

/* Drops the largest values above the limit, at most an eighth of `count`. */
static void drop_above(struct fit_work *w, const bool *gap, double limit, size_t count)
{
	for (size_t left = (count + 7) / 8; left > 0; left--) {
		size_t largest = w->n;
		for (size_t i = 0; i < w->n; i++)
			if ((!gap || w->list[i].gap == *gap) && w->value[i] > limit &&
			    (largest == w->n || w->value[i] > w->value[largest]))
				largest = i;
		if (largest == w->n || (w->list[largest].gap && gaps_of(w) <= FIT_GAPS_LEAST))
			return;
		drop(w, largest);
	}
}

static void drop_long(struct fit_work *w)
{
	static const bool modes[] = { false, true };

	for (size_t i = 0; i < w->n; i++)
		w->value[i] = w->list[i].duration / w->list[i].records;
	for (int i = 0; i < 2; i++) {
		size_t count;
		const double limit = limit_of(w, &modes[i], 8, 0.01, 0, &count);
		drop_above(w, &modes[i], limit, count);
	}
}

/* ---- least squares ---- */

/* Equations of all segments; how many terms they have. */
static int equations_of(const struct fit_work *w, struct equation *out)
{
	double records = 0, number = 0, furthest = 0, squares = 0;
	const double n = (double)w->n;

	for (size_t i = 0; i < w->n; i++) {
		records += w->list[i].records / n;
		number += w->list[i].number / n;
	}
	for (size_t i = 0; i < w->n; i++) {
		const double off = w->list[i].records - records;
		furthest = fmax(furthest, fabs(w->list[i].number - number));
		squares += off * off / (n > 1 ? n - 1 : 1);
	}
	for (size_t i = 0; i < w->n; i++) {
		const struct fit_segment *s = &w->list[i];
		const double size = s->records / records;
		const double at = furthest > 0 ? (s->number - number) / furthest : 0;
		out[i] = (struct equation){ { size, size * at, s->read / records, 1 },
					    s->duration / records,
					    1 / size };
	}
	return sqrt(squares) > 0.02 * records ? TERMS : TERMS - 1;
}

/* Inverts a symmetric matrix in place by Gauss and Jordan; false where it is singular. */
static bool invert(double (*m)[TERMS], int k)
{
	for (int p = 0; p < k; p++) {
		const double pivot = m[p][p];
		if (!(fabs(pivot) > 1e-12))
			return false;
		m[p][p] = 1;
		for (int j = 0; j < k; j++)
			m[p][j] /= pivot;
		for (int i = 0; i < k; i++) {
			const double factor = m[i][p];
			if (i == p)
				continue;
			m[i][p] = 0;
			for (int j = 0; j < k; j++)
				m[i][j] -= factor * m[p][j];
		}
	}
	return true;
}

static double residual_of(const struct equation *e, const double *parameter, int k)
{
	double rest = e->value;

	for (int i = 0; i < k; i++)
		rest -= parameter[i] * e->term[i];
	return rest;
}

/* Parameters, residuals to `value`, and the error of O. */
static bool solve(struct fit_work *w, double *parameter, double *error)
{
	OWNED struct equation *list = xmalloc((w->n + 1) * sizeof *list);
	const int k = equations_of(w, list);
	double m[TERMS][TERMS] = { { 0 } }, right[TERMS] = { 0 }, squares = 0;
	bool ok;

	memset(parameter, 0, TERMS * sizeof *parameter);
	for (size_t n = 0; n < w->n; n++)
		for (int i = 0; i < k; i++) {
			const double weighted = list[n].weight * list[n].term[i];
			for (int j = 0; j < k; j++)
				m[i][j] += weighted * list[n].term[j];
			right[i] += weighted * list[n].value;
		}
	ok = w->n > (size_t)k && invert(m, k);
	for (int i = 0; ok && i < k; i++)
		for (int j = 0; j < k; j++)
			parameter[i] += m[i][j] * right[j];
	for (size_t n = 0; n < w->n; n++) {
		w->value[n] = residual_of(&list[n], parameter, k);
		squares += list[n].weight * w->value[n] * w->value[n];
	}
	*error = ok ? sqrt(squares / (double)(w->n - (size_t)k) * m[COST][COST]) : 0;
	return ok;
}

struct record_fit fit_record_cost(const struct fit_segment *segments, size_t n)
{
	struct fit_work w = { xmalloc((n + 1) * sizeof *segments),
			      xmalloc((n + 1) * sizeof(double)), xmalloc((n + 1) * sizeof(double)),
			      n };
	struct record_fit fit = { 0, 0, false };
	double parameter[TERMS] = { 0 };

	memcpy(w.list, segments, n * sizeof *segments);
	drop_long(&w);
	fit.known = gaps_of(&w) >= FIT_GAPS_LEAST && gaps_of(&w) < w.n;
	for (int times = 0; fit.known; times++) {
		const size_t before = w.n;
		size_t count;
		double limit;
		fit.known = solve(&w, parameter, &fit.error);
		if (!fit.known || times == TIMES_MOST)
			break;
		limit = limit_of(&w, NULL, 5, 0, 0.003 * fmax(0, parameter[0]), &count);
		drop_above(&w, NULL, limit, count);
		if (w.n == before)
			break;
	}
	fit.cost = fit.known ? parameter[COST] : 0;
	free_all(w.list, w.value, w.sorted);
	return fit;
}
