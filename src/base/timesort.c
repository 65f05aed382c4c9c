#include "base/timesort.h"

#include <stdbool.h>
#include <string.h>

/* Merges the sorted runs [a, b) and [b, c) of `from` into `to`. */
static void merge(const struct timed *from, struct timed *to, size_t a, size_t b, size_t c)
{
	size_t i = a, k = b;

	if (b == c || from[b - 1].time <= from[b].time) {
		memcpy(to + a, from + a, (c - a) * sizeof *to);
		return;
	}
	for (size_t out = a; out < c; out++)
		to[out] = k >= c || (i < b && from[i].time <= from[k].time) ? from[i++] : from[k++];
}

static bool in_order(const struct timed *rows, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (rows[i - 1].time > rows[i].time)
			return false;
	return true;
}

void timed_sort(struct timed *rows, struct timed *spare, size_t n)
{
	struct timed *from = rows, *to = spare;

	if (in_order(rows, n))
		return;
	for (size_t width = 1; width < n; width *= 2) {
		for (size_t a = 0; a < n; a += 2 * width) {
			const size_t b = a + width < n ? a + width : n;
			const size_t c = b + width < n ? b + width : n;
			merge(from, to, a, b, c);
		}
		struct timed *swap = from;
		from = to;
		to = swap;
	}
	if (from != rows)
		memcpy(rows, from, n * sizeof *rows);
}
