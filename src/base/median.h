/* median: the middle of numbers. */
#pragma once

#include <stddef.h>

/* Of an even number of values the mean of the two in the middle; 0 of none. Changes their order.
 * O(n) for nearly all orders, O(n log n) at worst. */
double median_of(double *values, size_t n);
