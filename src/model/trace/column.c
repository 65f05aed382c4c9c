/* The columns of one time base. */
#include <string.h>

#include "model/trace/store.h"

enum { TIMES_RESERVE_BITS = 35, WIDE_RESERVE_BITS = 36 };

void column_init(struct column *column, struct slab_pool *pool)
{
	slab_init(&column->times, (size_t)1 << TIMES_RESERVE_BITS);
	slab_init(&column->wide, (size_t)1 << WIDE_RESERVE_BITS);
	slab_join(&column->times, pool);
	slab_join(&column->wide, pool);
}

void column_fini(struct column *column)
{
	slab_fini(&column->times);
	slab_fini(&column->wide);
	column->made = false;
}

int64_t *column_widen(struct column *column, struct times *times, uint32_t written, struct err *err)
{
	int64_t *wide = column_wide(column, times);

	if (wide)
		return wide;
	wide = slab_extend(&column->wide, BLOCK_EVENTS * sizeof *wide, err);
	for (uint32_t slot = 0; wide && slot < written; slot++)
		wide[slot] = times->base + times->delta[slot];
	if (wide)
		times->wide = (uint32_t)(column->wide.size / (BLOCK_EVENTS * sizeof *wide));
	return wide;
}

bool column_put(struct column *column, uint32_t block, uint32_t from, uint32_t to, const int64_t *t,
		struct err *err)
{
	struct times *times = (struct times *)(void *)column->times.data + block;
	int64_t *wide;

	if (from == 0)
		times->base = t[0];
	if ((from == 0 || !times->wide) &&
	    (uint64_t)t[to - from - 1] - (uint64_t)times->base <= UINT32_MAX) {
		for (uint32_t slot = from; slot < to; slot++)
			times->delta[slot] =
				(uint32_t)((uint64_t)t[slot - from] - (uint64_t)times->base);
		times->wide = 0;
		return true;
	}
	wide = column_widen(column, times, from, err);
	if (wide)
		memcpy(wide + from, t, (to - from) * sizeof *t);
	return wide != NULL;
}
