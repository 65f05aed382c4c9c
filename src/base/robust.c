#include "base/robust.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/median.h"
#include "base/mem.h"
#include "base/order.h"

enum { GROUPS_MOST = 256 };

double robust_scatter(const double *values, size_t n)
{
	OWNED double *sorted = xmalloc((n + 1) * sizeof *sorted);
	double middle;

	if (n)
		memcpy(sorted, values, n * sizeof *sorted);
	middle = median_of(sorted, n);
	for (size_t i = 0; i < n; i++)
		sorted[i] = fabs(sorted[i] - middle);
	return 1.4826 * median_of(sorted, n);
}

/* ---- trend ---- */

/* Sorts, and counts the pairs that were in the wrong order. */
static uint64_t count_inversions(double *values, double *spare, size_t n)
{
	const size_t half = n / 2;
	size_t i = 0, j = half;
	uint64_t wrong;

	if (n < 2)
		return 0;
	wrong = count_inversions(values, spare, half) +
		count_inversions(values + half, spare, n - half);
	for (size_t k = 0; k < n; k++) {
		const bool second = j < n && (i == half || values[j] < values[i]);
		wrong += second ? half - i : 0;
		spare[k] = values[second ? j++ : i++];
	}
	memcpy(values, spare, n * sizeof *values);
	return wrong;
}

double trend_significance(const double *values, size_t n)
{
	OWNED double *sorted = xmalloc((n + 1) * sizeof *sorted);
	OWNED double *spare = xmalloc((n + 1) * sizeof *spare);
	const double count = (double)n;
	double pairs = count * (count - 1) / 2;
	double variance = count * (count - 1) * (2 * count + 5);
	double s;
	uint64_t falling;

	if (n < 3)
		return 0;
	memcpy(sorted, values, n * sizeof *sorted);
	falling = count_inversions(sorted, spare, n);
	for (size_t i = 0, from = 0; i < n; i++) {
		const double equal = (double)(i - from + 1);
		if (i + 1 < n && sorted[i + 1] <= sorted[i])
			continue;
		pairs -= equal * (equal - 1) / 2;
		variance -= equal * (equal - 1) * (2 * equal + 5);
		from = i + 1;
	}
	s = pairs - 2 * (double)falling;
	if (variance <= 0)
		return 0;
	return (s - (s > 0) + (s < 0)) / sqrt(variance / 18);
}

/* Means of neighbouring groups, of `each` values but the last. */
static size_t group_means(const double *values, size_t n, size_t each, double *means, double *at)
{
	size_t groups = 0;

	for (size_t from = 0; from < n; from += each) {
		const size_t end = from + each < n ? from + each : n;
		double sum = 0;
		for (size_t i = from; i < end; i++)
			sum += values[i];
		means[groups] = sum / (double)(end - from);
		at[groups++] = (double)(from + end - 1) / 2;
	}
	return groups;
}

double trend_slope(const double *values, size_t n, double *middle)
{
	const size_t each = (n + GROUPS_MOST - 1) / GROUPS_MOST;
	double means[GROUPS_MOST], at[GROUPS_MOST];
	const size_t groups = n ? group_means(values, n, each, means, at) : 0;
	OWNED double *slopes = xmalloc((groups * groups / 2 + 1) * sizeof *slopes);
	size_t pairs = 0;
	double slope;

	for (size_t i = 0; i < groups; i++)
		for (size_t j = i + 1; j < groups; j++)
			slopes[pairs++] = (means[j] - means[i]) / (at[j] - at[i]);
	slope = median_of(slopes, pairs);
	if (!middle)
		return slope;
	for (size_t i = 0; i < groups; i++)
		means[i] -= slope * (at[i] - ((double)n - 1) / 2);
	*middle = median_of(means, groups);
	return slope;
}

/* ---- normal ---- */

double normal_quantile(double p)
{
	double low = -40, high = 40;

	while (high - low > 1e-10) {
		const double x = (low + high) / 2;
		if (erfc(-x / sqrt(2)) / 2 < p)
			low = x;
		else
			high = x;
	}
	return (low + high) / 2;
}
