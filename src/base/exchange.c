#include "base/exchange.h"

#include "base/mem.h"

void *exchange_replace(struct exchange *x, void *rows, size_t *n, size_t *cap, size_t size)
{
	struct exchange_parts all;

	x->gather(x, rows, *n * size, &all);
	*n = *cap = all.first[x->processes] / size;
	free_all(rows, all.first);
	return all.data;
}

void exchange_ticks(struct exchange *x, int64_t *values, size_t n)
{
	OWNED int128 *sums = x ? xcalloc(n + 1, sizeof *sums) : NULL;

	for (size_t i = 0; x && i < n; i++)
		sums[i] = values[i];
	exchange_sum(x, sums, n);
	for (size_t i = 0; x && i < n; i++)
		values[i] = sums[i] > INT64_MAX ? INT64_MAX : (int64_t)sums[i];
}
