/* slab: large arrays that grow in place.
 *
 * A slab reserves address space when the first bytes come and touches it as it grows: no copy, no
 * second peak, stable addresses, huge pages. An empty one costs nothing. It is what the columns of
 * the store are made of.
 *
 * Slabs may share a pool, which bounds the memory that they take together: beyond that they grow in
 * an unnamed file, whose space is reserved on the disk before it is used; the system keeps as much
 * of it in memory as there is room.
 *
 *	struct slab r;
 *	slab_init(&r, 64ull << 30);
 *	struct block *b = slab_extend(&r, sizeof *b, &err);	// NULL: limit reached
 *	slab_fini(&r);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct slab_pool;

struct slab {
	char *data;             /* start; stable once there is something in it */
	size_t size;            /* bytes in use */
	size_t touched;         /* bytes made accessible so far */
	size_t reserved;        /* bytes of address space; 0: borrowed, see slab_borrow() */
	size_t in_file;         /* bytes of `touched` that are in the pool's file */
	struct slab_pool *pool; /* NULL: none; borrowed */
};

/* Up to `reserve` bytes of address space will be its (less where limits such as ulimit -v forbid
 * it). */
void slab_init(struct slab *slab, size_t reserve);
/* Reserves them now, of an empty slab: for copies of the struct, which share what is in it. */
bool slab_reserve(struct slab *slab, struct err *err);

/* A slab of memory that belongs to someone else (a mapped file): it cannot be extended. */
struct slab slab_borrow(void *data, size_t bytes);

/* Of an empty one: so many bytes will be in it. Where that is much, the first ones have huge pages,
 * too, which small slabs do without. */
void slab_expect(struct slab *slab, size_t bytes);

/* Unmaps; the slab may be init-ed again. Safe on a zeroed struct. */
void slab_fini(struct slab *slab);

/* Appends `bytes` zeroed bytes and returns their address, or NULL with err when the reservation
 * is used up or the memory cannot be had. Alignment: whatever the sum of the sizes extended so
 * far gives. */
void *slab_extend(struct slab *slab, size_t bytes, struct err *err);

/* Takes the last bytes back, all beyond `size`. */
void slab_cut(struct slab *slab, size_t size);

/* Gives the unused tail back to the system; the content stays. */
void slab_trim(struct slab *slab);

/* ---- pools ---- */

/* Slabs that share it take at most `most` bytes of memory, 0: half of the machine's; then they grow
 * in a file in the first of the folders that can be written (NULL-terminated; copied). Without one
 * they fail with a sentence that --max-mem is reached. The file has no name: it is gone with the
 * pool, however the program ends. Threads: slabs of one pool may grow at the same time. */
struct slab_pool *slab_pool_new(uint64_t most, const char *const *folders);
/* Half of the memory that this process may have. */
uint64_t slab_pool_usual(void);
/* One more owner; each calls slab_pool_free(), after its slabs. */
struct slab_pool *slab_pool_share(struct slab_pool *pool);
void slab_pool_free(struct slab_pool *pool);
/* Lets a slab that is still empty grow in a pool. */
void slab_join(struct slab *slab, struct slab_pool *pool);
