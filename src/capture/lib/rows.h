/* rows: a thread's statistics (statistic.h): how the row of a place is found and changed, and the
 * stack of open statements.
 *
 * Rows and all other memory here are the thread's own, and come from mmap(), as a probe may be in
 * the program's malloc(). Memory grows only with the number of (place, where from or with whom). A
 * row is found in a small cache by the addresses that the probe passes, else in a table by place,
 * so that a library that is unloaded and loaded again elsewhere finds its rows.
 *
 *	struct tv_entry *e = tv_entry_find(t, site, from, TV_KEY_SITE);
 *	tv_open(t, e, ...);		the site is open from now on
 *	...
 *	tv_close(t, now, 0);		the innermost one is left: its row is changed */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "capture/lib/record.h"
#include "capture/lib/sites.h"
#include "capture/lib/statistic.h"

enum {
	TV_CACHE_BITS = 9,
	TV_FRAMES_MAX = 1 << 20, /* deeper frames have no statistics */
};

struct tv_entry;

/* What all rows of a procedure or loop have in common. */
struct tv_procedure {
	uint64_t place;
	uint64_t count, check; /* activations; how many until tv_limit_check() */
	struct tv_entry *entries;
	uint32_t open; /* how often it is open on the stack */
	bool limited;  /* no events of it are kept any more */
};

struct tv_entry {
	struct tv_statistic *row;
	struct tv_procedure *procedure; /* NULL: a communication */
	uint64_t what;                  /* of a site: tv_function.what of entering it */
	uint64_t across;                /* of a site: what of TV_SITE_FROM; 0: same module */
	uint64_t place, from;
	struct tv_entry *next; /* of the procedure */
	uint64_t at;           /* of the row, in the file; 0 none */
	uint32_t stamp, slot;  /* of its enter's record (record_words.h), where the stamps agree */
};

enum tv_frame_flag {
	TV_FRAME_WRITTEN = 1 << 0, /* its enter has an event */
	TV_FRAME_SITE = 1 << 1,    /* tvcc's, else */
	TV_FRAME_FUNCTION = 1 << 2,
	TV_FRAME_GUARDED = 1 << 3,
	TV_FRAME_USER = 1 << 4,
	TV_FRAME_LOOP = 1 << 5,  /* with TV_FRAME_SITE */
	TV_FRAME_BLANK = 1 << 6, /* entered while probes did nothing: its token is 0 (blanks.h) */
};

/* An open procedure, loop or region. */
struct tv_frame {
	uint64_t start, children; /* ticks: since when; spent in what has rows of its own */
	uint64_t row;             /* as in tv_open */
	struct tv_entry *entry;
	uintptr_t frame;           /* where on the program's stack; 0 unknown */
	uint64_t site;             /* address of the site or function; of a region its place */
	const struct tv_site **at; /* the call statement under way in its module */
	uint64_t iteration;        /* of a loop with a probe there: when it began; 0 none */
	uint32_t flags;            /* enum tv_frame_flag */
	uint32_t parent;           /* of a loop: tv_site.parent */
};

_Static_assert(sizeof(struct tv_frame) == sizeof(struct tv_open), "readers find frames");

struct tv_cached {
	uint64_t a, b;
	struct tv_entry *entry;
	uint64_t unused;
};

struct tv_key {
	uint64_t place, from;
	void *value; /* struct tv_entry, struct tv_procedure; NULL: free */
};

struct tv_rows {
	struct tv_cached *cache;
	uint32_t generation; /* of the programs and libraries with sites that the cache is of */
	uint32_t depth, frames;
	struct tv_frame *stack;
	struct tv_statistics *told, *untold; /* has the depth of the stack; never read */
	bool own_stack;                      /* it has memory of its own */
	struct tv_chunk *chunk;
	bool full; /* no room for more rows */
	bool busy; /* a row is being made: code that interrupts it gets none */
	uint32_t serial;
	struct tv_key *table;
	uint32_t mask, used;
	char *arena; /* room for entries */
	size_t left;
	void *blocks;
	uintptr_t low, high;    /* the thread's stack; frames elsewhere are not compared */
	struct tv_entry *spare; /* dummy entry used when memory runs out; its row is never read */
};

/* What kind of key a row is looked up by: addresses of sites; other addresses, or places; a place
 * and tv_with_make(). */
enum tv_key_kind { TV_KEY_SITE, TV_KEY_PLACE, TV_KEY_WITH };

/* Whom a communication is with, as a key: peer, communicator, function, direction. */
static inline uint64_t tv_with_make(int32_t peer, uint32_t comm, uint32_t call, uint32_t flags)
{
	return UINT64_C(1) << 63 | (uint64_t)(flags & (TV_STAT_SENT | TV_STAT_RECEIVED)) << 57 |
	       (uint64_t)(call & 0x1ffu) << 48 | (uint64_t)(comm & 0xffffffu) << 24 |
	       ((uint32_t)peer & 0xffffffu);
}

/* False: no memory. Chunks come from the process's file, where `scratch` is NULL. */
bool tv_rows_init(struct tv_rows *rows, struct tv_chunk *scratch);
void tv_rows_fini(struct tv_rows *rows);
/* Finds the stack of the calling thread. */
void tv_rows_find_stack(struct tv_rows *rows);

/* Repairs the state after longjmp out of the middle of a change. */
void tv_rows_mend(struct tv_rows *rows);

/* The procedure, loop or region of a place; NULL: it was never entered. */
const struct tv_procedure *tv_procedure_find(const struct tv_rows *rows, uint64_t place);

/* tv_function.what of a site that is entered, or left. */
static inline uint64_t tv_site_what(uint64_t place, uint64_t from)
{
	const bool same = from && (place ^ from) >> 32 == 0;

	return tv_site_make(TV_SITE_ENTER, (uint32_t)(place >> 32) & 0xffu,
			    (uint32_t)place & 0xffffffu, same ? (uint32_t)from & 0xffffffu : 0);
}

/* The same of TV_SITE_FROM, where the two are of different modules; else 0. */
static inline uint64_t tv_site_across(uint64_t place, uint64_t from)
{
	return from && (place ^ from) >> 32
		       ? tv_site_make(TV_SITE_FROM, (uint32_t)(from >> 32) & 0xffu,
				      (uint32_t)from & 0xffffffu, 0)
		       : 0;
}

static inline uint64_t tv_site_left(uint64_t what)
{
	return what ^ (uint64_t)TV_SITE_ENTER ^ (uint64_t)TV_SITE_LEAVE;
}

/* ---- changing a row, which others may read meanwhile ---- */

static inline void tv_row_begin(struct tv_statistic *row)
{
	/* Odd, also where a signal handler left the last change with longjmp. */
	__atomic_store_n(&row->seq, (row->seq + 1) | 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

static inline void tv_row_end(struct tv_statistic *row)
{
	__atomic_store_n(&row->seq, row->seq + 1, __ATOMIC_RELEASE);
}

static inline void tv_row_extremes(struct tv_statistic *row, uint64_t timed, uint64_t took)
{
	if (took < row->least || timed == 0)
		row->least = took;
	if (took > row->most)
		row->most = took;
}

/* An iteration of a loop took so many sixteenths of a tick. */
static inline void tv_row_iteration(struct tv_statistic *row, uint64_t took)
{
	if (took < row->loop.quickest || row->loop.quickest == 0)
		row->loop.quickest = took;
	if (took > row->loop.slowest)
		row->loop.slowest = took;
}
