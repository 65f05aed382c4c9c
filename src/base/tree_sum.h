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

/* The sum of the next 2^level items; as many, or a multiple, are in already. */
static inline void tree_sum_add_whole(struct tree_sum *sum, double item, unsigned level)
{
	const unsigned whole = level;

	for (; sum->n >> level & 1; level++)
		item = sum->part[level] + item;
	sum->part[level] = item;
	sum->n += (uint64_t)1 << whole;
}

static inline void tree_sum_add(struct tree_sum *sum, double item)
{
	tree_sum_add_whole(sum, item, 0);
}

/* The level of the largest whole subtree that begins with item `at` and ends before item `end`. */
static inline unsigned tree_sum_whole(uint64_t at, uint64_t end)
{
	unsigned level = 0;

	while (at % ((uint64_t)2 << level) == 0 && at + ((uint64_t)2 << level) <= end)
		level++;
	return level;
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
