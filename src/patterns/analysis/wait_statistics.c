/* Statistics over the instances of a metric (patterns-corrections C10): exact, with the
 * population's variance. */
#include <math.h>

#include "base/order.h"
#include "base/vec.h"
#include "patterns/analysis/analysis.h"

static bool is_of(const struct wait *wait, enum cube_metric metric)
{
	const bool wrong = wait->flags & WAIT_WRONG_ORDER;
	const bool same = wait->flags & WAIT_SAME_SOURCE;

	switch (metric) {
	case CUBE_MPI_LATESENDER_WO: return wrong;
	case CUBE_MPI_LSWO_SAME: return wrong && same;
	case CUBE_MPI_LSWO_DIFFERENT: return wrong && !same;
	default: return cube_metric_within((enum cube_metric)wait->metric, metric);
	}
}

static int compare_lengths(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return ORDER(*x, *y);
}

static int64_t quantile(const int64_t *x, size_t n, unsigned quarters)
{
	const double at = (double)(n - 1) * quarters / 4;
	const size_t below = (size_t)at;
	const double part = at - (double)below;

	if (below + 1 >= n || part == 0)
		return x[below];
	return x[below] + (int64_t)llround(part * (double)(x[below + 1] - x[below]));
}

void analysis_statistics(const struct analysis *a, enum cube_metric metric, const bool *chosen,
			 int64_t t0, int64_t t1, struct wait_statistics *s)
{
	const uint32_t locations = trace_location_count(analysis_trace(a));
	OWNED_VEC(int64_t) x = VEC_INIT;
	double squares = 0;

	*s = (struct wait_statistics){ 0 };
	for (uint32_t l = 0; l < locations; l++) {
		size_t n;
		const struct wait *waits = analysis_waits(a, l, &n);
		if (chosen && !chosen[l])
			continue;
		for (size_t i = analysis_wait_at(a, l, t0); i < n && waits[i].begin < t1; i++)
			if (waits[i].begin >= t0 && is_of(&waits[i], metric))
				vec_push(&x, waits[i].length);
	}
	if (x.n == 0)
		return;
	vec_sort(&x, compare_lengths);
	for (size_t i = 0; i < x.n; i++)
		s->sum += (double)x.data[i];
	s->count = x.n;
	s->mean = s->sum / (double)x.n;
	for (size_t i = 0; i < x.n; i++)
		squares += ((double)x.data[i] - s->mean) * ((double)x.data[i] - s->mean);
	s->variance = squares / (double)x.n;
	s->min = x.data[0];
	s->lower = quantile(x.data, x.n, 1);
	s->median = quantile(x.data, x.n, 2);
	s->upper = quantile(x.data, x.n, 3);
	s->max = x.data[x.n - 1];
}
