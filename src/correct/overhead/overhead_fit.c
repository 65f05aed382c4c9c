#include "correct/overhead/overhead_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/median.h"
#include "base/mem.h"
#include "base/robust.h"

enum { TERMS = 5, COST = 2, NOTE = 3, TIMES_MOST = 3 };

/* A term of each parameter, and the value that they add up to. */
struct equation {
	double term[TERMS], value, weight;
};

struct fit_work {
	struct fit_segment *list; /* what is left */
	double *value, *sorted;
	size_t n;
	bool notes; /* what a note costs is asked for, too */
};

/* ---- dropping what was interrupted ---- */

enum mode { RECORDED, NOTED, BLANK, MODES };

static enum mode mode_of(const struct fit_segment *s)
{
	if (!s->gap)
		return RECORDED;
	return s->blank ? BLANK : NOTED;
}

static size_t count_of(const struct fit_work *w, enum mode mode)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		n += mode_of(&w->list[i]) == mode;
	return n;
}

/* The value above which a segment is dropped: `factor` standard deviations, a share of the median
 * and `extra` above the median of those of `mode` (MODES: of all). */
static double limit_of(const struct fit_work *w, enum mode mode, double factor, double share,
		       double extra, size_t *count)
{
	size_t n = 0;
	double scatter, middle;

	for (size_t i = 0; i < w->n; i++)
		if (mode == MODES || mode_of(&w->list[i]) == mode)
			w->sorted[n++] = w->value[i];
	*count = n;
	if (n == 0)
		return INFINITY;
	scatter = robust_scatter(w->sorted, n);
	middle = median_of(w->sorted, n);
	return middle + factor * scatter + share * middle + extra;
}

static void drop(struct fit_work *w, size_t at)
{
	w->n--;
	memmove(&w->list[at], &w->list[at + 1], (w->n - at) * sizeof *w->list);
	memmove(&w->value[at], &w->value[at + 1], (w->n - at) * sizeof *w->value);
}

/* Whether notes were made without reading the clock: else they are as records, and cannot be told
 * from them. */
static bool has_notes(const struct fit_work *w)
{
	double notes = 0, records = 0;

	for (size_t i = 0; i < w->n; i++) {
		if (mode_of(&w->list[i]) != NOTED)
			continue;
		records += w->list[i].records;
		notes += w->list[i].records - w->list[i].read;
	}
	return notes > 0.1 * records;
}

static bool is_needed(const struct fit_work *w, enum mode mode)
{
	return mode != RECORDED && count_of(w, mode) <= FIT_GAPS_LEAST;
}

/* Drops the largest values above the limit, at most an eighth of `count`. */
static void drop_above(struct fit_work *w, enum mode mode, double limit, size_t count)
{
	for (size_t left = (count + 7) / 8; left > 0; left--) {
		size_t largest = w->n;
		for (size_t i = 0; i < w->n; i++)
			if ((mode == MODES || mode_of(&w->list[i]) == mode) &&
			    w->value[i] > limit &&
			    (largest == w->n || w->value[i] > w->value[largest]))
				largest = i;
		if (largest == w->n || is_needed(w, mode_of(&w->list[largest])))
			return;
		drop(w, largest);
	}
}

static void drop_long(struct fit_work *w)
{
	for (size_t i = 0; i < w->n; i++)
		w->value[i] = w->list[i].duration / w->list[i].records;
	for (int mode = 0; mode < MODES; mode++) {
		size_t count;
		const double limit = limit_of(w, (enum mode)mode, 8, 0.01, 0, &count);
		drop_above(w, (enum mode)mode, limit, count);
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
		const double notes = s->gap && !s->blank ? s->records - s->read : 0;
		out[i] = (struct equation){ { size, size * at, s->read / records },
					    s->duration / records,
					    1 / size };
		out[i].term[NOTE] = w->notes ? notes / records : 1;
		out[i].term[NOTE + 1] = 1;
	}
	return (sqrt(squares) > 0.02 * records ? NOTE + 1 : NOTE) + w->notes;
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

/* The segments but for those from `from` to before `to`. */
static struct record_fit fit_without(const struct fit_segment *segments, size_t n, double delay,
				     size_t from, size_t to)
{
	struct fit_work w = { xmalloc((n + 1) * sizeof *segments),
			      xmalloc((n + 1) * sizeof(double)), xmalloc((n + 1) * sizeof(double)),
			      0, false };
	double parameter[TERMS] = { 0 };
	struct record_fit fit = { 0 };

	for (size_t i = 0; i < n; i++)
		if (i < from || i >= to)
			w.list[w.n++] = segments[i];
	for (size_t i = 0; i < w.n; i++)
		w.list[i].duration -= w.list[i].gap ? 0 : delay * w.list[i].records;
	fit.blank = count_of(&w, BLANK) >= FIT_GAPS_LEAST;
	for (size_t i = w.n; i-- > 0 && !fit.blank;) /* too few */
		if (mode_of(&w.list[i]) == BLANK)
			drop(&w, i);
	drop_long(&w);
	w.notes = fit.blank && has_notes(&w);
	fit.known = count_of(&w, fit.blank ? BLANK : NOTED) >= FIT_GAPS_LEAST &&
		    count_of(&w, RECORDED) > 0;
	for (int times = 0; fit.known; times++) {
		const size_t before = w.n;
		size_t count;
		double limit;
		fit.known = solve(&w, parameter, &fit.error);
		if (!fit.known || times == TIMES_MOST)
			break;
		limit = limit_of(&w, MODES, 5, 0, 0.003 * fmax(0, parameter[0]), &count);
		drop_above(&w, MODES, limit, count);
		if (w.n == before)
			break;
	}
	fit.cost = fit.known ? parameter[COST] + delay : 0;
	fit.gaps = count_of(&w, fit.blank ? BLANK : NOTED);
	fit.note = fit.known && w.notes ? parameter[NOTE] : 0;
	free_all(w.list, w.value, w.sorted);
	return fit;
}

/* Standard error by the jackknife over successive parts; 0: too few. */
static double error_of_parts(const struct fit_segment *segments, size_t n, double delay, bool blank)
{
	double cost[FIT_PARTS], mean = 0, squares = 0;
	size_t gaps = 0;

	for (size_t i = 0; i < n; i++)
		gaps += segments[i].gap;
	if (gaps < FIT_PARTS_GAPS)
		return 0;
	for (size_t part = 0; part < FIT_PARTS; part++) {
		const struct record_fit fit = fit_without(segments, n, delay, n * part / FIT_PARTS,
							  n * (part + 1) / FIT_PARTS);
		if (!fit.known || fit.blank != blank)
			return 0;
		cost[part] = fit.cost;
		mean += fit.cost / FIT_PARTS;
	}
	for (size_t part = 0; part < FIT_PARTS; part++)
		squares += (cost[part] - mean) * (cost[part] - mean);
	return sqrt(squares * (FIT_PARTS - 1) / FIT_PARTS);
}

struct record_fit fit_record_cost(const struct fit_segment *segments, size_t n, double delay)
{
	struct record_fit fit = fit_without(segments, n, delay, n, n);

	if (fit.known)
		fit.error = fmax(fit.error, error_of_parts(segments, n, delay, fit.blank));
	return fit;
}
