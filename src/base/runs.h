/* runs: sorts what consists of a few sorted stretches one after the other, as the rows of a trace's
 * locations, or the findings of several passes over a location. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* rows[0..n) := 0 .. n - 1 by time[row], equal times by their number, whatever `jobs`. False, with
 * nothing done, where the stretches are so short that sorting is better. O(n log stretches). */
bool runs_sort(uint32_t *rows, const int64_t *time, uint32_t n, unsigned jobs);

/* Sorts an array; what is equal keeps its order. O(n log stretches), and as much memory again where
 * there are two or more of them. */
void runs_merge(void *array, size_t n, size_t size, int (*compare)(const void *, const void *));
