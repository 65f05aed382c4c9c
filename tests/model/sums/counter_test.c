/* Counters over time: numbers worked out by hand, and random ones against a walk over the
 * samples. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/built.h"
#include "harness/random.h"
#include "harness/test.h"
#include "model/sums/counter.h"

FREES(counters_free, struct counters)

static struct rng rng = { 88172645463325252u };

static uint32_t random_next(uint32_t limit)
{
	return rng_below(&rng, limit);
}

struct sample {
	int64_t t;
	uint64_t raw;
};

/* One location that lives from 0 to 1,000 and records one metric; another one that records none. */
static struct trace *make_trace(const struct metric *metric, const struct sample *samples, size_t n)
{
	struct builder *b = built_begin(2);
	const uint32_t site = built_site(b, "main", CLASS_USER, 1);
	const uint32_t id = builder_metric(b, metric);
	const uint32_t set =
		builder_metric_set(b, &(struct metric_set){
					      .n = 1, .metrics = &id, .recorder = UINT32_MAX });

	for (uint32_t r = 0; r < 2; r++)
		builder_enter(b, r, 0, site);
	for (size_t i = 0; i < n; i++) {
		const uint64_t values[] = { set, samples[i].raw };

		builder_detail(b, 0, samples[i].t, DETAIL_METRIC, values, 2);
	}
	for (uint32_t r = 0; r < 2; r++)
		builder_leave(b, r, 1000, site);
	return built_end(b);
}

/* Rate or mean over [t0, t1); NAN where nothing is known. */
static double over(struct counters *c, int64_t t0, int64_t t1)
{
	const struct counter_series *s = counters_series(c, BASE_MEASURED, 0, 0);
	size_t near = 0;
	double sum, ticks;

	assert_non_null(s);
	return counter_span(s, t0, t1, &near, &sum, &ticks) ? sum / ticks : NAN;
}

static void near_to(double a, double b)
{
	if (fabs(a - b) > 1e-9 * (fabs(a) + fabs(b) + 1))
		fail_msg("%g is not %g", a, b);
}

/* Samples at 100, 200, 400 with values 10, 30, 70. */
TEST(modes_mean_what_they_say)
{
	static const struct sample samples[] = { { 100, 10 }, { 200, 30 }, { 400, 70 } };
	/* Over [100, 200), [150, 300), [400, 1000), [0, 1000); NAN unknown. */
	static const double expected[METRIC_MODES][4] = {
		/* 20 in 100, 40 in 200, nothing known behind 400 */
		[METRIC_ACCUMULATED_START] = { 0.2, (10 + 20) / 150., NAN, 60 / 300. },
		[METRIC_ACCUMULATED_POINT] = { 0.2, (10 + 20) / 150., NAN, 60 / 300. },
		/* 30 in the 100 before 200, 70 in the 200 before 400 */
		[METRIC_ACCUMULATED_LAST] = { 0.3, (15 + 35) / 150., NAN, 100 / 300. },
		/* 10 until 200, 30 until 400, 70 until 1000 */
		[METRIC_ACCUMULATED_NEXT] = { 0.1, (5 + 15) / 150., 70 / 600., 110 / 900. },
		/* 10, 30, 70 hold until 200, 400, 1000 */
		[METRIC_ABSOLUTE_POINT] = { 10, (500 + 3000) / 150., 70, 49000 / 900. },
		[METRIC_ABSOLUTE_NEXT] = { 10, (500 + 3000) / 150., 70, 49000 / 900. },
		/* 30 held since 100, 70 since 200 */
		[METRIC_ABSOLUTE_LAST] = { 30, (1500 + 7000) / 150., NAN, 17000 / 300. },
		/* 10, 40, 110 */
		[METRIC_RELATIVE_POINT] = { 10, (500 + 4000) / 150., 110, 75000 / 900. },
		[METRIC_RELATIVE_NEXT] = { 10, (500 + 4000) / 150., 110, 75000 / 900. },
		[METRIC_RELATIVE_LAST] = { 40, (2000 + 11000) / 150., NAN, 26000 / 300. },
	};
	static const int64_t spans[4][2] = {
		{ 100, 200 }, { 150, 300 }, { 400, 1000 }, { 0, 1000 }
	};

	for (unsigned mode = 0; mode < METRIC_MODES; mode++) {
		const struct metric metric = { .mode = (uint8_t)mode, .value = FIELD_UINT };
		OWNED_TRACE *trace = make_trace(&metric, samples, 3);
		FREED_BY(counters_free) struct counters *c = counters_new(trace);

		assert_true(counters_has(c, 0, 0));
		assert_false(counters_has(c, 1, 0));
		assert_null(counters_series(c, BASE_MEASURED, 1, 0));
		for (int i = 0; i < 4; i++) {
			const double got = over(c, spans[i][0], spans[i][1]);

			assert_int_equal(isnan(got), isnan(expected[mode][i]));
			if (!isnan(got))
				near_to(got, expected[mode][i]);
		}
		assert_true(isnan(over(c, 0, 100)));
	}
}

static void assert_over(const struct metric *metric, const struct sample *samples, size_t n,
			const int64_t (*spans)[2], const double *expected)
{
	OWNED_TRACE *trace = make_trace(metric, samples, n);
	FREED_BY(counters_free) struct counters *c = counters_new(trace);

	for (int i = 0; i < 2; i++)
		near_to(over(c, spans[i][0], spans[i][1]), expected[i]);
}

/* Negative numbers, doubles, powers of two and ten; a count that begins anew; counts so large that
 * a double cannot tell neighbours apart. */
TEST(values_are_read_as_they_are_meant)
{
	static const int64_t overlapping[][2] = { { 0, 500 }, { 250, 750 } },
			     apart[][2] = { { 0, 500 }, { 500, 600 } },
			     halves[][2] = { { 0, 500 }, { 500, 1000 } };
	static const struct metric negative = { .mode = METRIC_ABSOLUTE_NEXT,
						.value = FIELD_INT,
						.base = 2,
						.exponent = -2 },
				   kilo = { .mode = METRIC_ABSOLUTE_NEXT,
					    .value = FIELD_FLOAT,
					    .base = 10,
					    .exponent = 3 },
				   count = { .mode = METRIC_ACCUMULATED_START,
					     .value = FIELD_UINT };
	const double values[] = { -0.5, 2.5 };
	struct sample samples[3] = { { 0, (uint64_t)-8 }, { 500, 24 }, { 1000, 0 } };

	assert_over(&negative, samples, 3, overlapping, (const double[]){ -2, 2 });
	for (int i = 0; i < 2; i++)
		memcpy(&samples[i].raw, &values[i], 8);
	assert_over(&kilo, samples, 2, apart, (const double[]){ -500, 2500 });
	samples[0].raw = UINT64_MAX - 10;
	samples[1].raw = UINT64_MAX - 5;
	samples[2].raw = 3; /* anew */
	assert_over(&count, samples, 3, halves, (const double[]){ 5 / 500., 0 });
}

/* The value that holds at a tick, by a walk. */
static double at_tick(const struct sample *samples, size_t n, int64_t t)
{
	double value = NAN;

	for (size_t i = 0; i < n && samples[i].t <= t; i++)
		value = (double)samples[i].raw;
	return value;
}

TEST(spans_are_those_of_a_walk)
{
	enum { SAMPLES = 300 };
	static struct sample samples[SAMPLES];

	for (int round = 0; round < 30; round++) {
		const size_t n = 2 + random_next(SAMPLES - 2);
		const struct metric metric = { .mode = METRIC_ABSOLUTE_NEXT, .value = FIELD_UINT };
		OWNED_TRACE *trace;
		FREED_BY(counters_free) struct counters *c;
		const struct counter_series *s;
		double all = 0, sum, ticks;
		size_t near = 0, first, counted = 0;

		for (size_t i = 0; i < n; i++)
			samples[i] = (struct sample){ (int64_t)(i * 990 / n), random_next(100) };
		trace = make_trace(&metric, samples, n);
		c = counters_new(trace);
		for (int i = 0; i < 20; i++) {
			const int64_t t0 = random_next(1000), t1 = t0 + 1 + random_next(300);
			double walked = 0;
			int64_t known = 0;

			for (int64_t t = t0; t < t1 && t < 1000; t++, known++)
				walked += at_tick(samples, n, t);
			if (known)
				near_to(over(c, t0, t1), walked / (double)known);
		}
		/* Cells side by side, with what the last search remembers: all of it, once. */
		s = counters_series(c, BASE_MEASURED, 0, 0);
		for (int64_t t = -50, next; t < 1050; t = next) {
			next = t + 1 + random_next(40);
			if (counter_span(s, t, next, &near, &sum, &ticks))
				all += sum;
			counted += counter_samples(s, t, next, &first);
		}
		near = 0;
		assert_true(counter_span(s, 0, 1000, &near, &sum, &ticks));
		near_to(all, sum);
		assert_int_equal(counted, n);
		/* What is remembered may lie behind. */
		assert_true(counter_span(s, 10, 20, &near, &sum, &ticks));
		near_to(sum / ticks, over(c, 10, 20));
	}
}
