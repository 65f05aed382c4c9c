/* select: order statistics of numbers that several processes have (base/exchange.h). */
#pragma once

#include "base/exchange.h"

/* The k-th smallest, from 0, of the numbers of all processes together, of which each has n; k is
 * below their sum. Exact, in any order. A round for each byte of a number: O(n) here, 256 counts
 * exchanged a round. */
int64_t select_nth(struct exchange *x, const int64_t *numbers, size_t n, uint64_t k);
