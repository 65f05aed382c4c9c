/* Statistics over the instances of a metric (patterns-corrections C10): exact, with the
 * population's variance: summed along a tree over the locations, so that no process needs all. */
#include <math.h>

#include "base/fixed.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/tree_sum.h"
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

struct instances {
	int64_t *data; /* ticks */
	size_t n, cap;
};

static void instances_fini(struct instances *x)
{
	vec_fini(x);
}

/* The instances of a location, in order. */
static void add_instances(const struct analysis *a, enum cube_metric metric, uint32_t location,
			  int64_t t0, int64_t t1, struct instances *x)
{
	size_t n;
	const struct wait *waits = analysis_waits(a, location, &n);

	for (size_t i = analysis_wait_at(a, location, t0); i < n && waits[i].begin < t1; i++)
		if (waits[i].begin >= t0 && is_of(&waits[i], metric))
			vec_push(x, waits[i].length);
}

static double squares(const int64_t *x, size_t n, double mean)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += ((double)x[i] - mean) * ((double)x[i] - mean);
	return sum;
}

void analysis_statistics(const struct analysis *a, enum cube_metric metric, const bool *chosen,
			 int64_t t0, int64_t t1, struct wait_statistics *s)
{
	const uint32_t locations = trace_location_count(analysis_trace(a));
	OWNED size_t *first = xcalloc(locations + 1u, sizeof *first);
	ENDED_BY(instances_fini) struct instances x = VEC_INIT;
	struct tree_sum apart = TREE_SUM_INIT;
	int128 sum = 0;

	*s = (struct wait_statistics){ 0 };
	for (uint32_t l = 0; l < locations; l++) {
		if (!chosen || chosen[l])
			add_instances(a, metric, l, t0, t1, &x);
		first[l + 1] = x.n;
	}
	if (x.n == 0)
		return;
	for (size_t i = 0; i < x.n; i++)
		sum += x.data[i];
	s->count = x.n;
	s->sum = (double)sum;
	s->mean = s->sum / (double)x.n;
	for (uint32_t l = 0; l < locations; l++)
		tree_sum_add(&apart, squares(x.data + first[l], first[l + 1] - first[l], s->mean));
	s->variance = tree_sum(&apart) / (double)x.n;
	vec_sort(&x, compare_lengths);
	s->min = x.data[0];
	s->lower = quantile(x.data, x.n, 1);
	s->median = quantile(x.data, x.n, 2);
	s->upper = quantile(x.data, x.n, 3);
	s->max = x.data[x.n - 1];
}
