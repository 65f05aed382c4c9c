/* overhead_spread: how values that are not negative are spread: counts in bins of a sixteenth of an
 * octave, each with its exact mean, variance, smallest and largest. Quantiles are exact where all
 * values of a bin are the same, and good to a bin's width of 4 % elsewhere. The order in which
 * values are added does not matter (base/fixed.h). Memory O(bins in use). */
#pragma once

#include <stdint.h>

#include "base/fixed.h"
#include "base/vec.h"

struct spread_bin {
	uint64_t count;
	rate sum, sum2; /* of a value's place in the bin, 0 to 1, and of its square */
	fixed weight;   /* sum */
	double min, max;
	uint32_t key;
};

struct spread {
	VEC(struct spread_bin) bins; /* ascending */
	uint64_t n;
};

/* Many values in one number each. */
struct spread_mean {
	double mean, error; /* standard error of the mean */
	double weight;      /* mean weight */
	double n;
};

/* A weight goes with each value: how many records a segment had. Negative values count as 0. */
void spread_add(struct spread *spread, double value, double weight);
/* Adds a bin of others' values: what spread_add() of each would make. */
void spread_add_bin(struct spread *spread, const struct spread_bin *bin);
/* Value at q (0..1) of the sorted values; 0 without any. */
double spread_quantile(const struct spread *spread, double q);
/* Mean of the values but for the largest share `cut` of them. */
struct spread_mean spread_mean(const struct spread *spread, double cut);
/* The same of the values above a limit, as far as the bins tell them apart. */
struct spread_mean spread_mean_above(const struct spread *spread, double above, double cut);
/* Mean of the values of both. */
struct spread_mean spread_mean_join(struct spread_mean a, struct spread_mean b);
/* Where weights are amounts, and values amounts a unit: what the amounts of values above a limit
 * have more than `usual` a unit. */
struct spread_excess {
	double amount, squares; /* of its squares, as if those of a bin had equal ones */
};
struct spread_excess spread_excess(const struct spread *spread, double usual, double limit);
void spread_fini(struct spread *spread);
