/* store: the inside of a trace, for the rooms of src/model that make or read its columns.
 * src/correct, which goes over whole columns, reads it and writes through base_write.h. All others
 * use trace.h, message.h and model/sums/shading.h.
 *
 * Large tables are slabs (base/slab.h), so that they grow without a copy; small ones are vectors.
 * blocks and the times of every base have the same index. */
#pragma once

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/keymap.h"
#include "base/mem.h"
#include "base/slab.h"
#include "base/vec.h"
#include "model/trace/copy.h"
#include "model/trace/detail.h"
#include "model/trace/gap.h"
#include "model/trace/message.h"
#include "model/trace/program.h"
#include "model/trace/trace.h"

/* Times are within +-TIME_LIMIT, so that the difference of any two, and the sum of two differences,
 * fits 64 bits. */
#define TIME_LIMIT (INT64_MAX / 4)

/* Interned text: id to text and back. */
struct strings {
	struct slab text; /* NUL-terminated, one after the other */
	VEC(uint64_t) start;
	uint32_t *table; /* open addressing, ids; UINT32_MAX empty */
	size_t size;
	uint32_t *hash; /* [size] */
};

/* The columns of one time base. */
struct column {
	struct slab times; /* struct times[] */
	struct slab wide;  /* int64_t[][BLOCK_EVENTS] */
	bool made;
};

/* First and last time of a base's events, kept because every frame asks and a search goes over all
 * locations. Filled in at first use; two threads at once write the same. */
struct span_known {
	_Atomic int64_t begin, end;
	atomic_bool known;
};

/* Rows (messages or collectives) by their earlier end, and a tree of largest later ends above them:
 * a node of level k represents 16^(k+1) rows. */
enum { ORDER_FAN_BITS = 4, ORDER_LEVELS = 7, ORDER_CHUNK = 256 };

struct order {
	uint32_t *rows;              /* NULL: row i is the i-th */
	int64_t *first;              /* [chunks of 256 rows] earlier end of the chunk's first row */
	int64_t *last[ORDER_LEVELS]; /* [level][node] largest later end; NULL: no such level */
	uint32_t n;
	bool borrowed; /* the arrays are in the cache file */
};

/* Texts for a few events, sorted by event. */
struct event_text {
	uint32_t event;
	uint32_t text; /* string */
};

struct event_texts {
	VEC(struct event_text) rows;
};

/* See keep.h. */
struct kept {
	char name[24];
	uint32_t number;
	uint8_t of_base, lent;
	uint8_t piece;  /* see piece.h */
	uint8_t mapped; /* `value` is not owned */
	uint64_t bytes;
	const void *value;
};

void kept_free(struct kept *kept);

/* Bits of struct block's flags. */
enum { BLOCK_NOT_TRACED = 1 /* tracing is off before the block's first event */ };

struct block_ids {
	uint32_t *data;
	size_t n, cap;
};

struct trace {
	char *path;
	char *name; /* of the files together, where it is joined of several; else NULL */
	struct exchange *exchange; /* of the processes that share it, NULL: it is whole */
	struct halo *halo;         /* model/trace/halo.h; NULL: it is whole */
	struct slab_pool *pool;    /* of all its slabs, NULL none; the trace is one of its owners */
	struct timescale scale;
	int jobs; /* threads that making columns may use, 0: as many as cores */

	struct strings strings;
#define TABLE(field, row, ...) VEC(struct row) field;
#define OWNER                  TABLE
#define SLAB(field, ...)       struct slab field;
#include "model/trace/trace_tables.def"

	size_t *offset_of; /* [locations + 1] first offset of a location */
	VEC(struct record) records;
	struct partial partial;
	struct keymap rank_location; /* rank: first thread's location */

	VEC(struct block_ids) lists; /* [location] its blocks in order */
	struct column columns[BASE_COUNT];
	struct span_known spans[BASE_COUNT]; /* trace_span() remembers */
	uint64_t events;

	struct order message_order[BASE_COUNT];
	struct order collective_order[BASE_COUNT];

	struct event_texts extras, time_texts;
	struct shading *class_shading[BASE_COUNT];     /* model/sums/shading.h */
	struct profile_sums *profile_sums[BASE_COUNT]; /* model/sums/profile_sums.h */
	/* Frees the sums of a base; set by sums_attach(), NULL while there are none. */
	void (*drop_sums)(struct trace *trace, enum time_base base);
	VEC(struct kept) kept;
	pthread_mutex_t kept_lock; /* of `kept` */
	struct cache_state *cache; /* model/model/cache/cache.h; NULL: the trace cannot be cached */
	void (*free_cache)(struct cache_state *state);
	bool (*cache_is_unchanged)(const struct cache_state *state, struct err *err);
};

/* store_block(), store_message() ..., store_block_count() ... */
#define SLAB(field, row, name, bits)                                            \
	static inline row *store_##name(const struct trace *trace, uint64_t id) \
	{                                                                       \
		return (row *)(void *)trace->field.data + id;                   \
	}                                                                       \
	static inline uint32_t store_##name##_count(const struct trace *trace)  \
	{                                                                       \
		return (uint32_t)(trace->field.size / sizeof(row));             \
	}
#include "model/trace/trace_tables.def"

static inline struct times *store_times(const struct trace *trace, enum time_base base, uint32_t id)
{
	return (struct times *)(void *)trace->columns[base].times.data + id;
}

/* A block's row of the wide table; NULL if 32 bits are enough. */
static inline int64_t *column_wide(const struct column *column, const struct times *times)
{
	if (!times->wide)
		return NULL;
	return (int64_t *)(void *)column->wide.data + (size_t)(times->wide - 1) * BLOCK_EVENTS;
}

static inline int64_t *store_wide(const struct trace *trace, enum time_base base,
				  const struct times *times)
{
	return column_wide(&trace->columns[base], times);
}

static inline int64_t store_time(const struct trace *trace, enum time_base base, uint32_t block,
				 uint32_t slot)
{
	const struct times *times = store_times(trace, base, block);
	const int64_t *wide = store_wide(trace, base, times);

	return wide ? wide[slot] : times->base + times->delta[slot];
}

/* The same for an event; the block of an event. */
static inline int64_t store_event_time(const struct trace *trace, enum time_base base,
				       uint32_t event)
{
	return store_time(trace, base, event / BLOCK_EVENTS, event % BLOCK_EVENTS);
}

static inline const struct block *store_event_block(const struct trace *trace, uint32_t event)
{
	return store_block(trace, event / BLOCK_EVENTS);
}

/* Kind and id of an event, to be read or changed. */
static inline uint32_t *store_what(const struct trace *trace, uint32_t event)
{
	return &store_block(trace, event / BLOCK_EVENTS)->what[event % BLOCK_EVENTS];
}

/* Prefetches a location's nth block: the blocks of one location are too far apart for the processor
 * to predict a walk. */
static inline void store_prefetch(const struct trace *trace, enum time_base base,
				  const struct block_ids *list, size_t nth)
{
	if (nth >= list->n)
		return;
	const char *block = (const char *)store_block(trace, list->data[nth]);
	const char *times = (const char *)store_times(trace, base, list->data[nth]);
	for (size_t at = 0; at < sizeof(struct block); at += 64) {
		__builtin_prefetch(block + at);
		__builtin_prefetch(times + at);
	}
}

/* The same for the times of one block. */
static inline void store_prefetch_times(const struct trace *trace, enum time_base base, uint32_t id)
{
	const char *times = (const char *)store_times(trace, base, id);
	for (size_t at = 0; at < sizeof(struct times); at += 64)
		__builtin_prefetch(times + at);
}

/* ---- strings.c ---- */

bool strings_init(struct strings *strings, struct err *err);
void strings_fini(struct strings *strings);
/* UINT32_MAX with err when address space or ids are used up. */
uint32_t strings_add(struct strings *strings, const char *text, size_t length, struct err *err);
/* UINT32_MAX where it is not there. */
uint32_t strings_find(const struct strings *strings, const char *text, size_t length);
size_t strings_length(const struct strings *strings, uint32_t id);
const char *strings_get(const struct strings *strings, uint32_t id);

/* ---- column.c ---- */

/* The columns of a base, empty. */
void column_init(struct column *column, struct slab_pool *pool);
void column_fini(struct column *column);
/* Writes the times of a block's slots from .. to - 1, after those before them; makes the block wide
 * if 32 bits are too few. */
bool column_put(struct column *column, uint32_t block, uint32_t from, uint32_t to, const int64_t *t,
		struct err *err);
/* The row of a block that is, or becomes, wide, with the times of the first `written` slots; NULL
 * with err. */
int64_t *column_widen(struct column *column, struct times *times, uint32_t written,
		      struct err *err);
/* ---- timebase.c ---- */

/* Sorts the offsets, keeps one for each time, and fills offset_of. */
void store_order_offsets(struct trace *trace);
/* Converts a measured time of a location to the reference clock, by the recorded offsets. */
int64_t offset_apply(const struct trace *trace, uint32_t location, int64_t time);
/* The same by other records in their place. */
int64_t offset_apply_of(const struct trace *trace, const struct offset *offsets, uint32_t location,
			int64_t time);

/* ---- trace.c ---- */

struct trace *store_new(const char *path, const struct timescale *scale, struct err *err);
/* The slabs of a zeroed trace. */
void store_slabs_init(struct trace *trace);
/* Lets the slabs of a fresh trace grow in a pool. */
void store_slabs_join(struct trace *trace, struct slab_pool *pool);
void store_finding(struct trace *trace, enum finding_kind kind, const char *code, uint64_t line,
		   uint64_t count, const char *text);
/* Takes back `count` findings that turned out to be wrong. */
void store_finding_withdraw(struct trace *trace, enum finding_kind kind, const char *code,
			    uint64_t count);
/* Adds the findings of a part of the work; the result does not depend on the parts' order. */
void store_finding_join(struct trace *trace, const struct finding *finding);
/* Sorts the findings by first line, then those without a line by code: independent of the threads
 * that found them. */
void store_finding_sort(struct trace *trace);

/* ---- span_order.c ---- */

/* Orders the rows of a base; the columns must be made. */
void order_make(struct order *order, const struct trace *trace, enum time_base base,
		bool collectives);
void order_fini(struct order *order);
/* Earlier and later end of a message or collective. */
void order_span(const struct trace *trace, enum time_base base, bool collectives, uint32_t row,
		int64_t *first, int64_t *last);
/* Nodes of a level of the tree over n rows, and its levels. */
uint32_t order_nodes(uint32_t n, int level);
int order_levels(uint32_t n);
