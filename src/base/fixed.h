/* fixed: sums that do not depend on the order of their items. Each item becomes a whole number of
 * small steps once, which are added exactly in 128 bits.
 *
 *	fixed sum = 0;
 *	for (...) sum += fixed_of(ticks[i]);
 *	use(fixed_value(sum));
 *
 * Integers below 2^53 are exact. What is larger than the range counts as its end: 2^78, or 2^40 of
 * a rate; 2^16 and 2^24 of those can be added, of smaller ones more. NaN counts as 0.
 *
 * A fixed_pair is for items that may be small in any unit (joules, seconds): it keeps what is left
 * over of each item, too, down to 2^-94. */
#pragma once

#include <math.h>
#include <stdint.h>

/* Aligned so that tables have no padding, and may be kept as they are in memory. */
typedef __int128 int128 __attribute__((aligned(8)));

typedef int128 fixed; /* multiples of 2^-32 */
typedef int128 rate;  /* multiples of 2^-62 */

/* The nearest whole number, of halves the one further from 0. */
static inline int128 fixed_rounded(double steps, double most)
{
	const double up = copysign(0.5, steps);

	if (fabs(steps) < 0x1p52)
		return (int64_t)(steps + up);
	if (fabs(steps) < most)
		return (int128)steps;
	return isnan(steps) ? 0 : (int128)copysign(most, steps);
}

static inline fixed fixed_of(double value)
{
	return fixed_rounded(value * 0x1p32, 0x1p110);
}

static inline double fixed_value(fixed sum)
{
	return (double)sum * 0x1p-32;
}

static inline rate rate_of(double value)
{
	return fixed_rounded(value * 0x1p62, 0x1p102);
}

static inline double rate_value(rate sum)
{
	return (double)sum * 0x1p-62;
}

struct fixed_pair {
	fixed sum;
	int128 rest; /* multiples of 2^-94 */
};

static inline void fixed_pair_add(struct fixed_pair *pair, double value)
{
	const double steps = value * 0x1p32;
	const int128 whole = fixed_rounded(steps, 0x1p110);

	pair->sum += whole;
	/* Larger ones have no more digits. */
	if (fabs(steps) < 0x1p52)
		pair->rest += fixed_rounded((steps - (double)whole) * 0x1p62, 0x1p102);
}

static inline void fixed_pair_join(struct fixed_pair *pair, const struct fixed_pair *more)
{
	pair->sum += more->sum;
	pair->rest += more->rest;
}

static inline double fixed_pair_value(const struct fixed_pair *pair)
{
	return fixed_value(pair->sum) + (double)pair->rest * 0x1p-94;
}
