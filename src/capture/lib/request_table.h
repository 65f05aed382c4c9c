/* request_table: what is known of the handles of MPI's requests, shared by all threads of a
 * process without a lock.
 *
 * A slot is a cache line: a key and a record. A handle goes into the first free slot of the few
 * after its own (request_home()); searches go through all of them, so that a slot can become free
 * without leaving a mark. If there is none, the next table is used, 16 times as large; tables
 * reserve address space only, which is touched on demand.
 *
 * MPI gives a handle out again as soon as it has completed its request, and another thread may be
 * quicker to add it than the one that completed it is to remove it. So where threads call MPI at
 * once, a handle is claimed before the call that may complete it: it is then that thread's own, and
 * no other one finds it.
 *
 *	slot = request_claim(&table, key, home);	before the call
 *	...
 *	if (slot && complete)
 *		request_remove(slot);		slot->record was read
 *	else if (slot)
 *		request_keep(slot);
 *
 * Where one thread calls at a time, request_find() after the call is enough. A key may be in the
 * table several times: any one of them is found. libc alone, no state: so it can be tested without
 * MPI. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

enum { REQUEST_TABLES = 3, REQUEST_BITS = 16, REQUEST_MORE_BITS = 4, REQUEST_PROBES = 64 };

/* Keys of slots: these two, or a handle's key + 2, with the bit above where it is claimed. */
enum { REQUEST_FREE, REQUEST_BUSY, REQUEST_KEYS };
#define REQUEST_CLAIMED (UINT64_C(1) << 63)

struct request_cell {
	_Atomic uint64_t key;
	uint64_t record[7];
};

struct request_table {
	struct request_cell *_Atomic cells[REQUEST_TABLES]; /* NULL: not needed yet */
	_Atomic uint32_t reach[REQUEST_TABLES];             /* most probes that were needed */
};

/* Where a handle that is a number belongs: numbers are indices of the library's own tables, so that
 * few requests touch few pages. Of a pointer the lowest bits are ignored: they hardly differ. */
static inline uint64_t request_home(uint64_t key, bool pointer)
{
	return pointer ? key >> 6 ^ key >> 22 : key ^ key >> 16;
}

static inline uint64_t request_mask(int table)
{
	return (UINT64_C(1) << (REQUEST_BITS + table * REQUEST_MORE_BITS)) - 1;
}

/* The cells of a table, made where they are not there; NULL: no memory. */
static inline struct request_cell *request_cells(struct request_table *t, int table)
{
	struct request_cell *cells = atomic_load_explicit(&t->cells[table], memory_order_acquire);
	const size_t size = (size_t)(request_mask(table) + 1) * sizeof *cells;
	struct request_cell *there = NULL;

	if (cells)
		return cells;
	cells = mmap(NULL, size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (cells == MAP_FAILED)
		return NULL;
	if (atomic_compare_exchange_strong(&t->cells[table], &there, cells))
		return cells;
	munmap(cells, size);
	return there;
}

/* The slot that a handle gets while few are in use; NULL: there is no table yet. */
static inline struct request_cell *request_first(struct request_table *t, uint64_t home)
{
	struct request_cell *cells = atomic_load_explicit(&t->cells[0], memory_order_acquire);

	return cells ? &cells[home & request_mask(0)] : NULL;
}

static inline void request_reach(struct request_table *t, int table, uint32_t probes)
{
	uint32_t reach = atomic_load_explicit(&t->reach[table], memory_order_relaxed);

	while (reach < probes &&
	       !atomic_compare_exchange_weak_explicit(&t->reach[table], &reach, probes,
						      memory_order_relaxed, memory_order_relaxed))
		continue;
}

/* request_reserve() where the first slot is not free. */
static __attribute__((noinline, unused)) struct request_cell *
request_reserve_any(struct request_table *t, uint64_t home, bool shared)
{
	for (int table = 0; table < REQUEST_TABLES; table++) {
		struct request_cell *cells = request_cells(t, table);
		for (uint32_t i = 0; cells && i < REQUEST_PROBES; i++) {
			struct request_cell *cell = &cells[(home + i) & request_mask(table)];
			uint64_t key = REQUEST_FREE;
			if (atomic_load_explicit(&cell->key, memory_order_relaxed))
				continue;
			/* One thread alone needs no atomic change, which takes longer. */
			if (!shared)
				atomic_store_explicit(&cell->key, REQUEST_BUSY,
						      memory_order_relaxed);
			else if (!atomic_compare_exchange_strong_explicit(&cell->key, &key,
									  REQUEST_BUSY,
									  memory_order_acquire,
									  memory_order_relaxed))
				continue;
			request_reach(t, table, i + 1);
			return cell;
		}
	}
	return NULL;
}

/* A slot of the caller's own, to be filled and then published; NULL: there is none. `shared`: other
 * threads may do the same at this moment. */
static inline struct request_cell *request_reserve(struct request_table *t, uint64_t home,
						   bool shared)
{
	struct request_cell *cell = request_first(t, home);

	if (shared || !cell || !atomic_load_explicit(&t->reach[0], memory_order_relaxed) ||
	    atomic_load_explicit(&cell->key, memory_order_relaxed) != REQUEST_FREE)
		return request_reserve_any(t, home, shared);
	atomic_store_explicit(&cell->key, REQUEST_BUSY, memory_order_relaxed);
	return cell;
}

static inline void request_publish(struct request_cell *cell, uint64_t key)
{
	atomic_store_explicit(&cell->key, key + REQUEST_KEYS, memory_order_release);
}

/* The slot of a handle that no thread has claimed, NULL without; claims it if asked to. */
static __attribute__((noinline, unused)) struct request_cell *
request_search(struct request_table *t, uint64_t key, uint64_t home, bool claim)
{
	const uint64_t wanted = key + REQUEST_KEYS;

	for (int table = 0; table < REQUEST_TABLES; table++) {
		struct request_cell *cells =
			atomic_load_explicit(&t->cells[table], memory_order_acquire);
		const uint32_t reach = atomic_load_explicit(&t->reach[table], memory_order_relaxed);
		for (uint32_t i = 0; cells && i < reach; i++) {
			struct request_cell *cell = &cells[(home + i) & request_mask(table)];
			uint64_t is = atomic_load_explicit(&cell->key, memory_order_acquire);
			if (is != wanted)
				continue;
			if (!claim ||
			    atomic_compare_exchange_strong_explicit(&cell->key, &is,
								    wanted | REQUEST_CLAIMED,
								    memory_order_acquire,
								    memory_order_relaxed))
				return cell;
		}
	}
	return NULL;
}

static inline struct request_cell *request_find(struct request_table *t, uint64_t key,
						uint64_t home)
{
	struct request_cell *cell = request_first(t, home);

	return cell && atomic_load_explicit(&cell->key, memory_order_acquire) == key + REQUEST_KEYS
		       ? cell
		       : request_search(t, key, home, false);
}

static inline struct request_cell *request_claim(struct request_table *t, uint64_t key,
						 uint64_t home)
{
	return request_search(t, key, home, true);
}

/* A claimed slot can be found again; a slot that was found but not claimed does not change. */
static inline void request_keep(struct request_cell *cell)
{
	const uint64_t key = atomic_load_explicit(&cell->key, memory_order_relaxed);

	atomic_store_explicit(&cell->key, key & ~REQUEST_CLAIMED, memory_order_release);
}

static inline void request_remove(struct request_cell *cell)
{
	atomic_store_explicit(&cell->key, REQUEST_FREE, memory_order_release);
}
