/* Statistics over the instances of a metric (patterns-corrections C10): exact, with the
 * population's variance: summed along a tree over the locations, so that no process needs all. */
#include <math.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/select.h"
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

struct instances {
	int64_t *data; /* ticks */
	size_t n, cap;
};

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

/* ---- of all processes ---- */

enum { QUARTILES = 3, POINTS = 2 * QUARTILES + 2 };

/* The instances of each metric. */
struct statistics {
	const struct analysis *analysis;
	struct exchange *exchange;
	uint32_t locations;
	size_t n;             /* metrics */
	struct instances *of; /* [n] by location */
	size_t *first;        /* [n][locations + 1] */
	struct wait_statistics *results;
};

/* What a location adds to the variance of a metric. */
struct apart {
	uint32_t metric, location;
	double squares;
};

static void sum_lengths(struct statistics *s)
{
	OWNED int128 *sums = xcalloc(2 * s->n + 1, sizeof *sums);

	for (size_t m = 0; m < s->n; m++) {
		sums[2 * m] = (int128)s->of[m].n;
		for (size_t i = 0; i < s->of[m].n; i++)
			sums[2 * m + 1] += s->of[m].data[i];
	}
	exchange_sum(s->exchange, sums, 2 * s->n);
	for (size_t m = 0; m < s->n; m++) {
		struct wait_statistics *result = &s->results[m];
		result->count = (uint64_t)sums[2 * m];
		result->sum = (double)sums[2 * m + 1];
		if (result->count)
			result->mean = result->sum / (double)result->count;
	}
}

/* The squares of all locations are added up along the tree that one process adds them up along. */
static void add_variances(struct statistics *s)
{
	OWNED_VEC(struct apart) rows = VEC_INIT;
	OWNED double *of = xcalloc(s->n * s->locations + 1, sizeof *of);
	const struct apart *row;

	for (uint32_t m = 0; m < s->n; m++)
		for (uint32_t l = 0; l < s->locations; l++) {
			const size_t *first = s->first + m * (s->locations + 1u) + l;
			if (first[1] > first[0])
				vec_push(&rows, ((struct apart){ m, l,
								 squares(s->of[m].data + first[0],
									 first[1] - first[0],
									 s->results[m].mean) }));
		}
	exchange_rows(s->exchange, &rows);
	vec_each (row, &rows)
		of[(size_t)row->metric * s->locations + row->location] = row->squares;
	for (size_t m = 0; m < s->n; m++) {
		struct tree_sum sum = TREE_SUM_INIT;
		for (uint32_t l = 0; l < s->locations; l++)
			tree_sum_add(&sum, of[m * s->locations + l]);
		if (s->results[m].count)
			s->results[m].variance = tree_sum(&sum) / (double)s->results[m].count;
	}
}

/* The places of the least, the largest, and of those on both sides of each quartile. */
static void place_points(uint64_t count, uint64_t places[POINTS])
{
	places[0] = 0;
	places[1] = count - 1;
	for (unsigned q = 0; q < QUARTILES; q++) {
		const uint64_t below = (uint64_t)((double)(count - 1) * (q + 1) / 4);
		places[2 + 2 * q] = below;
		places[3 + 2 * q] = below + 1 < count ? below + 1 : below;
	}
}

static int64_t quartile(uint64_t count, unsigned q, int64_t low, int64_t high)
{
	const double at = (double)(count - 1) * (q + 1) / 4;
	const double part = at - (double)(uint64_t)at;

	return part == 0 ? low : low + (int64_t)llround(part * (double)(high - low));
}

static void take_points(struct wait_statistics *result, const struct selection *points)
{
	int64_t *const quartiles[QUARTILES] = { &result->lower, &result->median, &result->upper };

	result->min = points[0].found;
	result->max = points[1].found;
	for (unsigned q = 0; q < QUARTILES; q++)
		*quartiles[q] = quartile(result->count, q, points[2 + 2 * q].found,
					 points[3 + 2 * q].found);
}

static void sort_points(struct instances *x, struct selection *points)
{
	vec_sort(x, compare_lengths);
	for (int i = 0; i < POINTS; i++)
		points[i].found = x->data[points[i].k];
}

static void find_points(struct statistics *s)
{
	OWNED struct selection *points = xcalloc(s->n * POINTS + 1, sizeof *points);
	size_t n = 0;

	for (size_t m = 0; m < s->n; m++) {
		uint64_t places[POINTS];
		if (!s->results[m].count)
			continue;
		place_points(s->results[m].count, places);
		for (int i = 0; i < POINTS; i++)
			points[n + (size_t)i] = (struct selection){ .numbers = s->of[m].data,
								    .n = s->of[m].n,
								    .k = places[i] };
		if (!s->exchange)
			sort_points(&s->of[m], points + n);
		n += POINTS;
	}
	if (s->exchange)
		select_all(s->exchange, points, n);
	n = 0;
	for (size_t m = 0; m < s->n; m++)
		if (s->results[m].count) {
			take_points(&s->results[m], points + n);
			n += POINTS;
		}
}

void analysis_statistics(const struct analysis *a, const enum cube_metric *metrics, size_t n,
			 const bool *chosen, int64_t t0, int64_t t1,
			 struct wait_statistics *results)
{
	const uint32_t locations = trace_location_count(analysis_trace(a));
	OWNED struct instances *of = xcalloc(n + 1, sizeof *of);
	OWNED size_t *first = xcalloc(n * (locations + 1u) + 1, sizeof *first);
	struct statistics s = { a,      trace_exchange(analysis_trace(a)), locations, n, of, first,
				results };

	memset(results, 0, n * sizeof *results);
	for (size_t m = 0; m < n; m++)
		for (uint32_t l = 0; l < locations; l++) {
			if (!chosen || chosen[l])
				add_instances(a, metrics[m], l, t0, t1, &of[m]);
			first[m * (locations + 1u) + l + 1] = of[m].n;
		}
	sum_lengths(&s);
	add_variances(&s);
	find_points(&s);
	for (size_t m = 0; m < n; m++)
		vec_fini(&of[m]);
}
