#include "correct/overhead/overhead_outliers.h"

#include <math.h>

enum {
	SEGMENTS_LEAST = 8,
	DEVIATIONS = 8, /* above the median */
};

static const double one_below = 0.159; /* share that is a standard deviation below the mean */
static const double margin = 0.01;     /* of the median */

double outliers_share(double q, double k)
{
	q = fmin(1, fmax(0, q));
	return k > 0 ? fmin(1, q + 2 * sqrt(q * (1 - q) / k)) : q;
}

/* The deviation is that of the rates below the median, which nothing lengthened. */
struct outliers outliers_of(const struct spread *rates, double cost)
{
	const double usual = spread_quantile(rates, 0.5);
	const double deviation = usual - spread_quantile(rates, one_below);
	const double limit = usual + DEVIATIONS * deviation + margin * usual;
	struct spread_excess excess;

	if (rates->n < SEGMENTS_LEAST || !(usual > 0))
		return (struct outliers){ 0 };
	excess = spread_excess(rates, usual, limit);
	if (!(excess.squares > 0))
		return (struct outliers){ usual, limit, outliers_share(cost / usual, 1) };
	return (struct outliers){ usual, limit,
				  outliers_share(cost / usual,
						 excess.amount * excess.amount / excess.squares) };
}
