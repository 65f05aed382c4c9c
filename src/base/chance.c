#include "base/chance.h"

#include <math.h>

#include "base/mem.h"

enum { FREEDOM_MOST = 1000, BATCHES_LEAST = 8 };

/* ---- Student's t ---- */

/* The chance that |t| is larger, with whole degrees of freedom (Abramowitz and Stegun 26.7.3 and
 * 26.7.4). */
static double beyond(double t, size_t freedom)
{
	const double angle = atan(t / sqrt((double)freedom)), c = cos(angle), s = sin(angle);
	double term = freedom % 2 ? c : 1, sum = 0;

	for (size_t i = freedom % 2 ? 1 : 0; i + 2 <= freedom; i += 2) {
		sum += term;
		term *= c * c * (double)(i + 1) / (double)(i + 2);
	}
	return freedom % 2 ? 1 - 2 / M_PI * (angle + s * sum) : 1 - s * sum;
}

double chance_quantile(double chance, size_t freedom)
{
	double low = 0, high = 1;

	freedom = freedom < FREEDOM_MOST ? freedom : FREEDOM_MOST;
	while (beyond(high, freedom) > chance)
		high *= 2;
	while (high - low > 1e-12 * high) {
		const double middle = (low + high) / 2;
		if (middle <= low || middle >= high)
			break;
		if (beyond(middle, freedom) > chance)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* ---- sums ---- */

/* The standard error of a sum of all n, from n values that are independent. */
static double error_of_sum(const double *values, size_t n)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	for (size_t i = 0; i < n; i++)
		squares += (values[i] - sum / (double)n) * (values[i] - sum / (double)n);
	return sqrt(squares / (double)(n - 1) * (double)n);
}

double chance_of_sum(const double *values, size_t n, double chance)
{
	OWNED double *batches = xmalloc((n + 1) * sizeof *batches);
	double most;

	if (n < 3)
		return INFINITY;
	most = chance_quantile(chance, n - 1) * error_of_sum(values, n);
	for (size_t each = 2; n / each >= BATCHES_LEAST; each *= 2) {
		const size_t m = n / each;
		for (size_t i = 0; i < m; i++) {
			batches[i] = 0;
			for (size_t k = 0; k < each; k++)
				batches[i] += values[i * each + k];
		}
		/* What is left over scatters as much. */
		most = fmax(most, chance_quantile(chance, m - 1) * error_of_sum(batches, m) *
					  sqrt((double)n / (double)(m * each)));
	}
	return most;
}
