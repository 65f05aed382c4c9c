/* ranking: the rank of one number among many: exact quantiles, without sorting. Several processes
 * (base/exchange.h) may each add some of the numbers.
 *
 *	struct ranking r = RANKING_INIT;
 *	ranking_add(&r, ticks);			... in any order
 *	ranking_done(&r, trace_exchange(trace));
 *	median = ranking_quantile(&r, 1, 2);
 *	ranking_fini(&r);
 *
 * Memory: 8 bytes a number, twice that for a quantile, which costs eight passes over them. */
#pragma once

#include "base/exchange.h"

struct ranking {
	VEC(int64_t) values; /* that were added here */
	/* Of all processes, once it is done. */
	struct exchange *exchange;
	uint64_t n;
	int128 sum;
	int64_t min, max;
};

#define RANKING_INIT                                       \
	{                                                  \
		VEC_INIT, NULL, 0, 0, INT64_MAX, INT64_MIN \
	}

void ranking_add(struct ranking *ranking, int64_t value);
/* All numbers were added. Where there are several processes all call this, and what follows. */
void ranking_done(struct ranking *ranking, struct exchange *x);
void ranking_fini(struct ranking *ranking);
/* How many are less than value, and how many equal it. */
uint64_t ranking_below(const struct ranking *ranking, int64_t value, uint64_t *equal);
/* The value at (n - 1) * part / parts of the sorted ones, between two of them by linear
 * interpolation, rounded. There must be a value. */
int64_t ranking_quantile(const struct ranking *ranking, unsigned part, unsigned parts);
