/* select: order statistics of numbers that several processes have (base/exchange.h). */
#pragma once

#include "base/exchange.h"

/* One of several selections. */
struct selection {
	const int64_t *numbers; /* [n] of this process */
	size_t n;
	uint64_t k; /* from 0, the same in all processes, below the sum of their n */
	int64_t found;
};

/* Finds the k-th smallest of the numbers of all processes together, for each of n selections.
 * Exact, in any order. A round for each byte of a number: O(numbers) here, 256 counts of each
 * selection exchanged a round. */
void select_all(struct exchange *x, struct selection *of, size_t n);

/* The same of one. */
int64_t select_nth(struct exchange *x, const int64_t *numbers, size_t n, uint64_t k);
