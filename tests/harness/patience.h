/* patience: a progress that grants so many steps and none after them.
 *
 *	atomic_int left = 3;
 *	const struct progress progress = patience(&left);
 */
#pragma once

#include <stdatomic.h>

#include "base/progress.h"

static inline bool patience_step(void *left, const char *what, uint64_t done, uint64_t all)
{
	(void)what, (void)done, (void)all;
	return atomic_fetch_sub((atomic_int *)left, 1) > 0;
}

static inline struct progress patience(atomic_int *left)
{
	return (struct progress){ .step = patience_step, .context = left };
}
