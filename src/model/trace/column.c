/* The columns of one time base. */
#include <string.h>

#include "model/trace/store.h"

enum { TIMES_RESERVE_BITS = 35, WIDE_RESERVE_BITS = 36 };

bool column_init(struct column *column, struct slab_pool *pool, struct err *err)
{
	if (!slab_init(&column->times, (size_t)1 << TIMES_RESERVE_BITS, err) ||
	    !slab_init(&column->wide, (size_t)1 << WIDE_RESERVE_BITS, err))
		return false;
	slab_join(&column->times, pool);
	slab_join(&column->wide, pool);
	return true;
}

void column_fini(struct column *column)
{
	slab_fini(&column->times);
	slab_fini(&column->wide);
	column->made = false;
}

bool column_set(struct column *column, uint32_t block, const int64_t *t, uint32_t n,
		struct err *err)
{
	struct times *times = (struct times *)(void *)column->times.data + block;
	int64_t *wide;

	times->base = t[0];
	if ((uint64_t)t[n - 1] - (uint64_t)t[0] <= UINT32_MAX) {
		for (uint32_t i = 0; i < n; i++)
			times->delta[i] = (uint32_t)((uint64_t)t[i] - (uint64_t)t[0]);
		times->wide = 0;
		return true;
	}
	if (times->wide) { /* the block was wide before: its row is used again */
		wide = (int64_t *)(void *)column->wide.data +
		       (size_t)(times->wide - 1) * BLOCK_EVENTS;
	} else {
		wide = slab_extend(&column->wide, BLOCK_EVENTS * sizeof *wide, err);
		if (!wide)
			return false;
		times->wide = (uint32_t)(column->wide.size / (BLOCK_EVENTS * sizeof *wide));
	}
	memcpy(wide, t, n * sizeof *wide);
	return true;
}
