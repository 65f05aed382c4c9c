#include "views/facts/ranking.h"

#include <math.h>

void ranking_add(struct ranking *r, int64_t value)
{
	vec_push(&r->values, value);
	r->sum += (double)value;
	r->min = value < r->min ? value : r->min;
	r->max = value > r->max ? value : r->max;
}

void ranking_fini(struct ranking *r)
{
	vec_fini(&r->values);
	*r = (struct ranking)RANKING_INIT;
}

size_t ranking_below(const struct ranking *r, int64_t value, size_t *equal)
{
	size_t below = 0;

	*equal = 0;
	for (size_t i = 0; i < r->values.n; i++) {
		below += r->values.data[i] < value;
		*equal += r->values.data[i] == value;
	}
	return below;
}

/* Maps signed numbers to unsigned ones in the same order. */
static uint64_t key_of(int64_t value)
{
	return (uint64_t)value ^ (uint64_t)1 << 63;
}

/* The k-th smallest: found byte by byte from the highest, among the numbers that share the bytes
 * known so far. */
static int64_t nth(const struct ranking *r, size_t k)
{
	uint64_t known = 0, mask = 0;

	for (int shift = 56; shift >= 0; shift -= 8) {
		size_t counts[256] = { 0 };
		unsigned byte = 0;

		for (size_t i = 0; i < r->values.n; i++) {
			const uint64_t key = key_of(r->values.data[i]);

			if ((key & mask) == known)
				counts[key >> shift & 0xff]++;
		}
		while (k >= counts[byte])
			k -= counts[byte++];
		known |= (uint64_t)byte << shift;
		mask |= (uint64_t)0xff << shift;
	}
	return (int64_t)key_of((int64_t)known);
}

int64_t ranking_quantile(const struct ranking *r, unsigned part, unsigned parts)
{
	const size_t span = r->values.n - 1;
	/* span * part / parts and the remainder, without a product that could overflow. */
	const size_t left = span % parts * part;
	const size_t k = span / parts * part + left / parts;
	const double between = (double)(left % parts) / parts;
	const int64_t low = nth(r, k);

	if (between == 0)
		return low;
	return low + (int64_t)llround(((double)nth(r, k + 1) - (double)low) * between);
}
