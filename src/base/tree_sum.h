/* tree_sum: a sum of doubles along a binary tree whose shape depends on their number alone: n items
 * are split at the largest power of two below n. Parts that are whole subtrees may be added
 * elsewhere, and the bits of the sum stay the same.
 *
 *	struct tree_sum sum = TREE_SUM_INIT;
 *	for (size_t i = 0; i < n; i++) tree_sum_add(&sum, items[i]);
 *	use(tree_sum(&sum));
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct tree_sum {
	uint64_t n;
	double part[64]; /* of 2^i items where bit i of n is set */
};

#define TREE_SUM_INIT  \
	{              \
		.n = 0 \
	}

static inline void tree_sum_add(struct tree_sum *sum, double item)
{
	unsigned level = 0;

	for (; sum->n >> level & 1; level++)
		item = sum->part[level] + item;
	sum->part[level] = item;
	sum->n++;
}

/* 0 of no items. */
static inline double tree_sum(const struct tree_sum *sum)
{
	double all = 0;
	bool first = true;

	for (unsigned level = 0; level < 64 && sum->n >> level; level++) {
		if (!(sum->n >> level & 1))
			continue;
		all = first ? sum->part[level] : sum->part[level] + all;
		first = false;
	}
	return all;
}
