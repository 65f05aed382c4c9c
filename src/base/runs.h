/* runs: sorts rows by time, with several threads, where they are a few sorted stretches one after
 * the other, as the rows of a trace's locations are. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* rows[0..n) := 0 .. n - 1 by time[row], equal times by their number, whatever `jobs`. False, with
 * nothing done, where the stretches are so short that sorting is better. O(n log stretches). */
bool runs_sort(uint32_t *rows, const int64_t *time, uint32_t n, unsigned jobs);
