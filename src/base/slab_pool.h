/* slab_pool: the inside of pools of memory, for slab.c alone; all others use slab.h. */
#pragma once

#include "base/heap.h"
#include "base/slab.h"

/* Bytes by which a slab grows at once. */
size_t slab_pool_step(const struct slab_pool *pool);

enum slab_place { SLAB_NOWHERE, SLAB_IN_MEMORY, SLAB_IN_FILE };

/* Lets a slab grow from `touched` to `end`. NOWHERE with err: the file's disk is full, or there is
 * no file. */
enum slab_place slab_pool_take(struct slab *slab, size_t end, struct err *err);
/* Gives bytes of a slab's memory back to the pool. */
void slab_pool_give(struct slab *slab, size_t bytes);

/* slab.c: makes the bytes from `touched` to `end` memory that can be used. False with errno. */
bool slab_open(struct slab *slab, size_t end);
