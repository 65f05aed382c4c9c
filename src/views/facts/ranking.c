#include "views/facts/ranking.h"

#include <math.h>

#include "base/select.h"

void ranking_add(struct ranking *r, int64_t value)
{
	vec_push(&r->values, value);
	r->sum += value;
	r->min = value < r->min ? value : r->min;
	r->max = value > r->max ? value : r->max;
}

void ranking_done(struct ranking *r, struct exchange *x)
{
	int128 sums[2] = { (int128)r->values.n, r->sum };

	exchange_sum(x, sums, 2);
	r->exchange = x;
	r->n = (uint64_t)sums[0];
	r->sum = sums[1];
	/* ~ turns the order around. */
	r->min = ~exchange_latest(x, ~r->min);
	r->max = exchange_latest(x, r->max);
}

void ranking_fini(struct ranking *r)
{
	vec_fini(&r->values);
	*r = (struct ranking)RANKING_INIT;
}

uint64_t ranking_below(const struct ranking *r, int64_t value, uint64_t *equal)
{
	uint64_t counts[2] = { 0, 0 };

	for (size_t i = 0; i < r->values.n; i++) {
		counts[0] += r->values.data[i] < value;
		counts[1] += r->values.data[i] == value;
	}
	exchange_sums(r->exchange, counts, 2);
	*equal = counts[1];
	return counts[0];
}

int64_t ranking_quantile(const struct ranking *r, unsigned part, unsigned parts)
{
	const uint64_t span = r->n - 1;
	/* span * part / parts and the remainder, without a product that could overflow. */
	const uint64_t left = span % parts * part;
	const uint64_t k = span / parts * part + left / parts;
	const double between = (double)(left % parts) / parts;
	struct selection of[2] = { { r->values.data, r->values.n, k, 0 },
				   { r->values.data, r->values.n, k + 1, 0 } };

	select_all(r->exchange, of, between == 0 ? 1 : 2);
	if (between == 0)
		return of[0].found;
	return of[0].found +
	       (int64_t)llround(((double)of[1].found - (double)of[0].found) * between);
}
