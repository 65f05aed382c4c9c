/* ranking: the rank of one number among many: exact quantiles, without sorting.
 *
 *	struct ranking r = RANKING_INIT;
 *	ranking_add(&r, ticks);			... in any order
 *	median = ranking_quantile(&r, 1, 2);
 *	ranking_fini(&r);
 *
 * Memory: 8 bytes a number. A quantile costs eight passes over them at most. */
#pragma once

#include <stdint.h>

#include "base/vec.h"

struct ranking {
	VEC(int64_t) values;
	double sum;
	int64_t min, max;
};

#define RANKING_INIT                              \
	{                                         \
		VEC_INIT, 0, INT64_MAX, INT64_MIN \
	}

void ranking_add(struct ranking *ranking, int64_t value);
void ranking_fini(struct ranking *ranking);
/* How many are less than value, and how many equal it. */
size_t ranking_below(const struct ranking *ranking, int64_t value, size_t *equal);
/* The value at (n - 1) * part / parts of the sorted ones, between two of them by linear
 * interpolation, rounded. There must be a value. */
int64_t ranking_quantile(const struct ranking *ranking, unsigned part, unsigned parts);
