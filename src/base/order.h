/* order: comparison functions for qsort() and bsearch(), key after key, and searches in what is
 * sorted.
 *
 *	static int by_begin(const void *a, const void *b)
 *	{
 *		const struct wait *x = a, *y = b;
 *
 *		ORDER_BY(x->begin, y->begin);
 *		ORDER_BY(y->length, x->length);		the longer first
 *		return ORDER(x->event, y->event);
 *	}
 *
 *	size_t low = 0, high = n;
 *	BISECT(low, high, i, waits[i].begin < t);	low: the first that does not begin before t
 */
#pragma once

/* -1, 0 or 1. */
#define ORDER(x, y) (((x) > (y)) - ((x) < (y)))

/* Returns from the comparison function where the keys differ. */
#define ORDER_BY(x, y)                             \
	do {                                       \
		if ((x) != (y))                    \
			return (x) < (y) ? -1 : 1; \
	} while (0)

/* Moves both bounds of low .. high - 1 to the first index for which `before` does not hold;
 * `middle` is the index in `before`, which holds for all that come earlier. O(log(high - low)). */
#define BISECT(low, high, middle, before)                                    \
	while ((low) < (high)) {                                             \
		const __typeof__(low) middle = (low) + ((high) - (low)) / 2; \
		if (before)                                                  \
			(low) = middle + 1;                                  \
		else                                                         \
			(high) = middle;                                     \
	}
