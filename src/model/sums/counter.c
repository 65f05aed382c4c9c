#include "model/sums/counter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/keymap.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/vec.h"

struct has {
	uint32_t location, metric;
};

struct counters {
	const struct trace *trace;
	VEC(struct has) has; /* sorted, each once */
	VEC(struct counter_series *) series;
	struct keymap series_of; /* (location, metric, base): index of `series` */
};

bool metric_is_rate(const struct metric *metric)
{
	return metric->mode <= METRIC_ACCUMULATED_NEXT;
}

/* ---- which locations have which ---- */

ORDERING(by_has, struct has, location, metric)

/* The metric set of an event; NULL where it is none, or names none. */
static const struct metric_set *set_of(const struct trace *trace, uint32_t what,
				       const uint64_t **values, uint32_t *n)
{
	const struct detail *detail;

	if (what_kind(what) != EV_METRIC || what_id(what) >= trace_detail_count(trace))
		return NULL;
	detail = trace_detail(trace, what_id(what));
	if (detail->type != DETAIL_METRIC || detail->n < 1)
		return NULL;
	*values = trace_detail_values(trace, detail);
	*n = detail->n - 1;
	if (**values >= trace_metric_set_count(trace))
		return NULL;
	return trace_metric_set(trace, (uint32_t) * (*values)++);
}

/* Sets of a location: there are few, and the same one comes again and again. */
static void note_sets(struct counters *c, uint32_t location, const struct metric_set *const *sets,
		      size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < sets[i]->n; k++)
			if (sets[i]->metrics[k] < trace_metric_count(c->trace))
				vec_push(&c->has, ((struct has){ location, sets[i]->metrics[k] }));
}

static void look_through(struct counters *c, uint32_t location)
{
	OWNED_VEC(const struct metric_set *) sets = VEC_INIT;
	struct cursor e;
	const uint64_t *values;
	uint32_t n;

	for (bool ok = cursor_first(&e, c->trace, BASE_MEASURED, location); ok;
	     ok = cursor_next(&e)) {
		const struct metric_set *set = set_of(c->trace, cursor_what(&e), &values, &n);
		size_t i = 0;

		while (set && i < sets.n && sets.data[i] != set)
			i++;
		if (set && i == sets.n)
			vec_push(&sets, set);
		else if (set && i > 0) { /* a repeated set is found at once */
			sets.data[i] = sets.data[0];
			sets.data[0] = set;
		}
	}
	note_sets(c, location, sets.data, sets.n);
}

struct counters *counters_new(const struct trace *trace)
{
	struct counters *c = xcalloc(1, sizeof *c);
	size_t kept = 0;

	c->trace = trace;
	for (uint32_t l = 0; trace_metric_count(trace) && l < trace_location_count(trace); l++)
		look_through(c, l);
	vec_sort(&c->has, by_has);
	for (size_t i = 0; i < c->has.n; i++)
		if (i == 0 || by_has(&c->has.data[i], &c->has.data[kept - 1]) != 0)
			c->has.data[kept++] = c->has.data[i];
	c->has.n = kept;
	return c;
}

void counters_free(struct counters *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->series.n; i++) {
		free_all(c->series.data[i]->t, c->series.data[i]->f, c->series.data[i]->value,
			 c->series.data[i]);
	}
	vec_fini(&c->series);
	keymap_fini(&c->series_of);
	vec_fini(&c->has);
	free(c);
}

bool counters_has(const struct counters *c, uint32_t location, uint32_t metric)
{
	const struct has wanted = { location, metric };

	return c->has.n &&
	       bsearch(&wanted, c->has.data, c->has.n, sizeof *c->has.data, by_has) != NULL;
}

/* ---- series ---- */

struct samples {
	VEC(int64_t) t;
	VEC(uint64_t) raw;
};

static void collect(const struct trace *trace, enum time_base base, uint32_t location,
		    uint32_t metric, struct samples *samples)
{
	struct cursor e;
	const uint64_t *values;
	uint32_t n;

	for (bool ok = cursor_first(&e, trace, base, location); ok; ok = cursor_next(&e)) {
		const struct metric_set *set = set_of(trace, cursor_what(&e), &values, &n);

		for (uint32_t k = 0; set && k < set->n && k < n; k++)
			if (set->metrics[k] == metric) {
				vec_push(&samples->t, cursor_time(&e));
				vec_push(&samples->raw, values[k]);
			}
	}
}

static double shown(const struct metric *metric, uint64_t raw, double factor)
{
	double real;

	switch (metric->value) {
	case FIELD_FLOAT:
		memcpy(&real, &raw, sizeof real);
		return isfinite(real) ? real * factor : 0;
	case FIELD_INT: return (double)(int64_t)raw * factor;
	default: return (double)raw * factor;
	}
}

/* What a count has grown by, without the rounding of large counts. */
static double growth(const struct metric *metric, uint64_t before, uint64_t now, double factor)
{
	double by;

	if (metric->value == FIELD_FLOAT)
		by = shown(metric, now, 1) - shown(metric, before, 1);
	else if (metric->value == FIELD_INT)
		by = (int64_t)now > (int64_t)before ? (double)(now - before) : 0;
	else
		by = now > before ? (double)(now - before) : 0;
	return by > 0 ? by * factor : 0;
}

static bool lasts(uint8_t mode)
{
	return mode == METRIC_ACCUMULATED_NEXT || mode == METRIC_ABSOLUTE_POINT ||
	       mode == METRIC_ABSOLUTE_NEXT || mode == METRIC_RELATIVE_POINT ||
	       mode == METRIC_RELATIVE_NEXT;
}

/* What F grows by between samples i - 1 and i; held: the value of i - 1 and of i. */
static double step(const struct metric *metric, const struct samples *s, size_t i,
		   const double held[2], double factor)
{
	const double ticks = (double)s->t.data[i] - (double)s->t.data[i - 1];

	switch (metric->mode) {
	case METRIC_ACCUMULATED_START:
	case METRIC_ACCUMULATED_POINT:
		return growth(metric, s->raw.data[i - 1], s->raw.data[i], factor);
	case METRIC_ACCUMULATED_LAST: return held[1];
	case METRIC_ACCUMULATED_NEXT: return held[0];
	case METRIC_ABSOLUTE_LAST:
	case METRIC_RELATIVE_LAST: return held[1] * ticks;
	default: return held[0] * ticks;
	}
}

static void integrate(struct counter_series *s, const struct metric *metric,
		      const struct samples *samples, int64_t end)
{
	const double factor = pow(metric->base ? metric->base : 10, (double)metric->exponent);
	const bool relative = metric->mode >= METRIC_RELATIVE_POINT;
	double held[2] = { 0, 0 }, sum = 0;

	for (size_t i = 0; i < s->n; i++) {
		s->t[i] = samples->t.data[i];
		s->value[i] = shown(metric, samples->raw.data[i], factor);
		held[0] = held[1];
		held[1] = relative ? held[0] + s->value[i] : s->value[i];
		if (i > 0)
			sum += step(metric, samples, i, held, factor);
		s->f[i] = sum;
	}
	s->points = s->n;
	if (s->n && lasts(metric->mode) && end > s->t[s->n - 1]) {
		s->t[s->n] = end;
		s->f[s->n] = sum +
			     (s->rate ? held[1] : held[1] * ((double)end - (double)s->t[s->n - 1]));
		s->points++;
	}
}

const struct counter_series *counters_series(struct counters *c, enum time_base base,
					     uint32_t location, uint32_t metric)
{
	struct samples samples = { .t = VEC_INIT };
	struct counter_series *s;
	struct cursor last;
	int64_t end = INT64_MIN;
	uint32_t *known;

	if (!counters_has(c, location, metric))
		return NULL;
	known = keymap_add(&c->series_of, KEY_OF(location, metric, (uint32_t)base));
	if (*known != UINT32_MAX)
		return c->series.data[*known];
	*known = (uint32_t)c->series.n;
	collect(c->trace, base, location, metric, &samples);
	s = xcalloc(1, sizeof *s);
	*s = (struct counter_series){ .location = location,
				      .metric = metric,
				      .base = base,
				      .n = samples.t.n,
				      .rate = metric_is_rate(trace_metric(c->trace, metric)) };
	s->t = xcalloc(s->n + 1, sizeof *s->t);
	s->f = xcalloc(s->n + 1, sizeof *s->f);
	s->value = xcalloc(s->n + 1, sizeof *s->value);
	if (cursor_last(&last, c->trace, base, location))
		end = cursor_time(&last);
	integrate(s, trace_metric(c->trace, metric), &samples, end);
	vec_fini(&samples.t);
	vec_fini(&samples.raw);
	vec_push(&c->series, s);
	return s;
}

/* ---- asking ---- */

/* How many points are not after t, looking from `near` on. */
static size_t points_upto(const struct counter_series *s, int64_t t, size_t near)
{
	size_t low = near <= s->points && (near == 0 || s->t[near - 1] <= t) ? near : 0;
	size_t step_by = 1, high;

	while (low + step_by <= s->points && s->t[low + step_by - 1] <= t) {
		low += step_by;
		step_by *= 2;
	}
	high = low + step_by < s->points ? low + step_by : s->points;
	BISECT(low, high, mid, s->t[mid] <= t);
	return low;
}

/* F at t, inside [t[0], t[points - 1]]. */
static double value_at(const struct counter_series *s, int64_t t, size_t *near)
{
	const size_t i = points_upto(s, t, *near);
	double share;

	*near = i;
	if (i == s->points)
		return s->f[i - 1];
	share = ((double)t - (double)s->t[i - 1]) / ((double)s->t[i] - (double)s->t[i - 1]);
	return s->f[i - 1] + (s->f[i] - s->f[i - 1]) * share;
}

bool counter_span(const struct counter_series *s, int64_t t0, int64_t t1, size_t *near, double *sum,
		  double *ticks)
{
	double before;

	*sum = *ticks = 0;
	if (s->points < 2)
		return false;
	if (t0 < s->t[0])
		t0 = s->t[0];
	if (t1 > s->t[s->points - 1])
		t1 = s->t[s->points - 1];
	if (t0 >= t1)
		return false;
	before = value_at(s, t0, near);
	*sum = value_at(s, t1, near) - before;
	*ticks = (double)t1 - (double)t0;
	return true;
}

size_t counter_samples(const struct counter_series *s, int64_t t0, int64_t t1, size_t *first)
{
	size_t low[2];

	for (int end = 0; end < 2; end++) {
		const int64_t t = end ? t1 : t0;
		size_t high = s->n;

		low[end] = 0;
		BISECT(low[end], high, mid, s->t[mid] < t);
	}
	*first = low[0];
	return low[1] - low[0];
}
