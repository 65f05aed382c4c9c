/* The inside of pools, for mem.c. */
#pragma once

#include "base/slab.h"

enum { HUGE_PAGE = 2 << 20 };

/* How far a slab grows at once. */
size_t slab_pool_step(const struct slab_pool *pool);

enum slab_place { SLAB_NOWHERE, SLAB_IN_MEMORY, SLAB_IN_FILE };

/* Has a slab grow from `touched` to `end`. NOWHERE with err: the file's disk is full, or there is
 * none. */
enum slab_place slab_pool_take(struct slab *slab, size_t end, struct err *err);
/* The slab's memory is free again; what it had of the file is not used again. */
void slab_pool_give(struct slab *slab);
