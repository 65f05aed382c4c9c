/* order: comparison functions for qsort() and bsearch(), key after key, sorting, and searches in
 * sorted arrays.
 *
 *	ORDERING(by_place, struct place, node, rank)	static by_place(): by node, then rank
 *
 *	SORT(places, n, by_place);
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

#include <stddef.h>
#include <stdlib.h>

/* -1, 0 or 1. */
#define ORDER(x, y) (((x) > (y)) - ((x) < (y)))

/* Returns from the comparison function where the keys differ. */
#define ORDER_BY(x, y)                             \
	do {                                       \
		if ((x) != (y))                    \
			return (x) < (y) ? -1 : 1; \
	} while (0)

/* Defines a comparison function of elements of a type, by one to six of their fields, each
 * ascending, the first one that differs deciding. */
#define ORDERING(name, type, ...)                                        \
	static int name(const void *a, const void *b)                    \
	{                                                                \
		const type *x = a, *y = b;                               \
                                                                         \
		ORDER_KEYS(__VA_ARGS__, 6, 5, 4, 3, 2, 1, )(__VA_ARGS__) \
	}
#define ORDER_KEYS(k1, k2, k3, k4, k5, k6, n, ...) ORDER_KEYS_##n
#define ORDER_KEY(key)                             ORDER_BY(x->key, y->key);
#define ORDER_KEYS_1(key)                          return ORDER(x->key, y->key);
#define ORDER_KEYS_2(key, ...)                     ORDER_KEY(key) ORDER_KEYS_1(__VA_ARGS__)
#define ORDER_KEYS_3(key, ...)                     ORDER_KEY(key) ORDER_KEYS_2(__VA_ARGS__)
#define ORDER_KEYS_4(key, ...)                     ORDER_KEY(key) ORDER_KEYS_3(__VA_ARGS__)
#define ORDER_KEYS_5(key, ...)                     ORDER_KEY(key) ORDER_KEYS_4(__VA_ARGS__)
#define ORDER_KEYS_6(key, ...)                     ORDER_KEY(key) ORDER_KEYS_5(__VA_ARGS__)

/* The same for arrays of plain numbers. */
#define ORDERING_OF_NUMBERS(name, type)               \
	static int name(const void *a, const void *b) \
	{                                             \
		const type *x = a, *y = b;            \
                                                      \
		return ORDER(*x, *y);                 \
	}

/* Sorts n elements; where there are none, the array may be NULL. */
#define SORT(array, n, compare) order_sort(array, n, sizeof *(array), compare)
#define vec_sort(v, compare)    SORT((v)->data, (v)->n, compare)

static inline void order_sort(void *array, size_t n, size_t size,
			      int (*compare)(const void *, const void *))
{
	if (n > 1)
		qsort(array, n, size, compare);
}

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
