/* timesort: stable sorting by time; cheap where the rows are in order already, as those of a trace
 * nearly always are. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct timed {
	int64_t time;
	uint32_t a, b; /* the caller's own */
};

/* Sorts rows[0..n) by time, equal times in their order. `spare` has room for n rows. O(n) when in
 * order, else O(n log n). */
void timed_sort(struct timed *rows, struct timed *spare, size_t n);
