/* counter: values of metrics over time, so that the value in any span costs two look-ups, not a
 * walk over samples.
 *
 * A series is one metric as one location recorded it. It is a function F of time, stored at its
 * samples and linear between them; the value of a span [t0, t1) is (F(t1) - F(t0)) / time, where
 * `time` is the part of the span from the first sample on:
 *
 *	accumulated, start and point	F is the count itself: the samples' differences, evenly
 *					between them. A count that falls was begun again and adds
 *					nothing.
 *	accumulated, last		each sample is what was counted since the one before
 *	accumulated, next		... until the next one (the last: until the location's end)
 *	absolute, point and next	F is the integral of the value, which holds from its sample
 *					to the next (the last: to the location's end)
 *	absolute, last			... which held since the sample before
 *	relative			as absolute, of the sum of all samples so far
 *
 * So accumulated metrics are shown as rates, per second, and the counts of neighbouring spans add
 * up to that of both; the others as means over time.
 *
 * Which locations have which metrics is found by one pass over the trace, a series by one pass over
 * its location's events, both when first wanted. Threads: a struct counters belongs to one. */
#pragma once

#include "model/trace/detail.h"

struct counter_series {
	uint32_t location, metric;
	enum time_base base;
	size_t n;   /* samples */
	int64_t *t; /* [n + 1] ticks; one more where the last value lasts to the location's end */
	double *f;  /* [points] F, of shown values (base and exponent applied) and ticks */
	double *value; /* [n] as recorded, base and exponent applied */
	size_t points; /* n or n + 1 */
	bool rate;     /* accumulated: F is a count; else an integral over ticks */
};

struct counters;

struct counters *counters_new(const struct trace *trace);
void counters_free(struct counters *counters);

/* True if a location records a metric. O(log of such pairs). */
bool counters_has(const struct counters *counters, uint32_t location, uint32_t metric);
/* Its series, owned by the counters; NULL if the location does not record the metric. */
const struct counter_series *counters_series(struct counters *counters, enum time_base base,
					     uint32_t location, uint32_t metric);

/* The change of F over [t0, t1), and the ticks of that span with known values: their quotient is a
 * mean or, per tick, a rate. False if nothing is known there. `near` keeps the position of the last
 * search (0 at first), which makes spans in ascending order cheap. */
bool counter_span(const struct counter_series *series, int64_t t0, int64_t t1, size_t *near,
		  double *sum, double *ticks);
/* Samples with t0 <= time < t1; *first is the first of them. */
size_t counter_samples(const struct counter_series *series, int64_t t0, int64_t t1, size_t *first);

/* True if the metric is shown as a rate. */
bool metric_is_rate(const struct metric *metric);
