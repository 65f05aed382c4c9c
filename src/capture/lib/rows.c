#define _GNU_SOURCE
#include "capture/lib/rows.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "capture/lib/lifetimes.h"
#include "capture/lib/open.h"
#include "capture/lib/recorder_chunks.h"

enum { BLOCK = 64 << 10, FIRST_KEYS = 256 };

/* No place has this `from`: the key of a procedure itself. */
#define OF_PROCEDURE UINT64_MAX

static void *map(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

static size_t cache_bytes(void)
{
	return sizeof(struct tv_cached) << TV_CACHE_BITS;
}

/* Zeroed; NULL: no memory. Never more than a small part of a block. */
static void *take(struct tv_rows *rows, size_t bytes)
{
	void *at;

	if (rows->left < bytes) {
		void **block = map(BLOCK);
		if (!block)
			return NULL;
		*block = rows->blocks;
		rows->blocks = block;
		rows->arena = (char *)block + 64;
		rows->left = BLOCK - 64;
	}
	at = rows->arena;
	rows->arena += bytes;
	rows->left -= bytes;
	return at;
}

static struct tv_entry *spare_new(struct tv_rows *rows)
{
	struct tv_entry *entry = take(rows, sizeof *entry);
	struct tv_procedure *procedure = take(rows, sizeof *procedure);
	struct tv_statistic *row = take(rows, sizeof *row);

	if (!entry || !procedure || !row)
		return NULL;
	procedure->check = UINT64_MAX;
	*entry = (struct tv_entry){ .row = row, .procedure = procedure };
	return entry;
}

/* The first chunk has the stack at its end. */
static void stack_in(struct tv_rows *rows)
{
	rows->told = (struct tv_statistics *)(void *)rows->chunk;
	rows->stack =
		(struct tv_frame *)(void *)((char *)rows->chunk + TV_CHUNK_SIZE - TV_OPEN_SIZE);
	rows->frames = TV_OPEN_SIZE / sizeof *rows->stack;
}

bool tv_rows_init(struct tv_rows *rows, struct tv_chunk *scratch)
{
	memset(rows, 0, sizeof *rows);
	rows->cache = map(cache_bytes());
	rows->table = map(FIRST_KEYS * sizeof *rows->table);
	rows->mask = FIRST_KEYS - 1;
	rows->chunk = scratch;
	rows->spare = spare_new(rows);
	rows->told = rows->untold = take(rows, sizeof *rows->told);
	if (rows->cache && rows->table && rows->spare && rows->told) {
		if (scratch)
			stack_in(rows);
		return true;
	}
	tv_rows_fini(rows);
	return false;
}

void tv_rows_fini(struct tv_rows *rows)
{
	if (rows->cache)
		munmap(rows->cache, cache_bytes());
	if (rows->own_stack)
		munmap(rows->stack, rows->frames * sizeof *rows->stack);
	if (rows->table)
		munmap(rows->table, ((size_t)rows->mask + 1) * sizeof *rows->table);
	while (rows->blocks) {
		void *next = *(void **)rows->blocks;
		munmap(rows->blocks, BLOCK);
		rows->blocks = next;
	}
	memset(rows, 0, sizeof *rows);
}

void tv_rows_find_stack(struct tv_rows *rows)
{
	pthread_attr_t attr;
	void *low = NULL;
	size_t size = 0;

	if (pthread_getattr_np(pthread_self(), &attr) != 0)
		return;
	if (pthread_attr_getstack(&attr, &low, &size) == 0) {
		rows->low = (uintptr_t)low;
		rows->high = rows->low + size;
	}
	pthread_attr_destroy(&attr);
}

/* ---- the table by place ---- */

static uint32_t home_of(const struct tv_rows *rows, uint64_t place, uint64_t from)
{
	const uint64_t mixed =
		(place ^ (from * UINT64_C(0xc2b2ae3d27d4eb4f) >> 7)) * UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(mixed >> 32) & rows->mask;
}

/* Where the key is, or would be: there is always a free one. */
static struct tv_key *key_at(const struct tv_rows *rows, uint64_t place, uint64_t from)
{
	uint32_t i = home_of(rows, place, from);

	while (rows->table[i].value &&
	       (rows->table[i].place != place || rows->table[i].from != from))
		i = (i + 1) & rows->mask;
	return &rows->table[i];
}

static bool table_grow(struct tv_rows *rows)
{
	struct tv_key *old = rows->table;
	const uint32_t count = rows->mask + 1;
	struct tv_key *fresh;

	if (count > UINT32_MAX / 4 || !(fresh = map(2 * (size_t)count * sizeof *fresh)))
		return false;
	rows->table = fresh;
	rows->mask = 2 * count - 1;
	for (uint32_t i = 0; i < count; i++)
		if (old[i].value)
			*key_at(rows, old[i].place, old[i].from) = old[i];
	munmap(old, (size_t)count * sizeof *old);
	return true;
}

static bool table_add(struct tv_rows *rows, uint64_t place, uint64_t from, void *value)
{
	if (rows->used * 2 > rows->mask && !table_grow(rows))
		return false;
	*key_at(rows, place, from) = (struct tv_key){ place, from, value };
	rows->used++;
	return true;
}

void tv_rows_mend(struct tv_rows *rows)
{
	rows->busy = false;
	for (uint32_t i = 0; rows->table && i <= rows->mask; i++)
		if (rows->table[i].value && rows->table[i].from == OF_PROCEDURE)
			((struct tv_procedure *)rows->table[i].value)->open = 0;
	for (uint32_t i = 0; i < rows->depth; i++)
		rows->stack[i].entry->procedure->open++;
	if (rows->told)
		rows->told->open = rows->depth;
}

/* ---- rows ---- */

static bool has_room(const struct tv_rows *rows)
{
	const uint64_t end = TV_CHUNK_SIZE -
			     (rows->chunk && rows->chunk->serial == 0 ? (uint64_t)TV_OPEN_SIZE : 0);

	return rows->chunk && rows->chunk->used + TV_STATISTIC_SIZE <= end;
}

bool tv_rows_chunk(struct tv_thread *t)
{
	struct tv_rows *rows = &t->rows;
	struct tv_chunk *chunk = tv_chunk_new(t, TV_CHUNK_STATISTICS);

	if (chunk)
		rows->chunk = chunk;
	if (chunk && !rows->stack)
		stack_in(rows);
	rows->full = !chunk;
	return chunk != NULL;
}

/* The next free row, or the spare one if there is no room, which the file then notes. */
static struct tv_statistic *row_new(struct tv_thread *t)
{
	struct tv_rows *rows = &t->rows;
	struct tv_statistic *row;

	if (!rows->full && !has_room(rows) && !tv_rows_chunk(t) && tv.file)
		__atomic_fetch_or(&tv.file->state, TV_FULL, __ATOMIC_RELAXED);
	if (rows->full)
		return NULL;
	row = (struct tv_statistic *)(void *)((char *)rows->chunk + rows->chunk->used);
	memset(row, 0, sizeof *row);
	return row;
}

static void row_commit(struct tv_rows *rows)
{
	__atomic_store_n(&rows->chunk->used, rows->chunk->used + TV_STATISTIC_SIZE,
			 __ATOMIC_RELEASE);
}

static struct tv_procedure *procedure_of(struct tv_rows *rows, uint64_t place, bool limit)
{
	struct tv_key *key = key_at(rows, place, OF_PROCEDURE);
	struct tv_procedure *procedure = key->value;

	if (procedure)
		return procedure;
	procedure = take(rows, sizeof *procedure);
	if (!procedure)
		return NULL;
	procedure->place = place;
	procedure->check = limit && tv.often ? tv.often + 1 : UINT64_MAX;
	return table_add(rows, place, OF_PROCEDURE, procedure) ? procedure : NULL;
}

const struct tv_procedure *tv_procedure_find(const struct tv_rows *rows, uint64_t place)
{
	return rows->table ? key_at(rows, place, OF_PROCEDURE)->value : NULL;
}

/* What a row describes, before the row exists. */
struct wanted {
	uint64_t place, from;
	uint64_t key;               /* with the place */
	uint64_t hook;              /* as in tv_statistic */
	const struct tv_site *site; /* NULL: none of tvcc's */
	enum tv_key_kind kind;
};

static void fill_with(struct tv_statistic *row, uint64_t with)
{
	const int32_t peer = (int32_t)(with & 0xffffffu);

	row->kind = TV_STAT_COMMUNICATION;
	row->flags = (uint8_t)(with >> 57 & (TV_STAT_SENT | TV_STAT_RECEIVED));
	row->call = (uint16_t)(with >> 48 & 0x1ffu);
	row->communication.comm = (uint32_t)(with >> 24) & 0xffffffu;
	/* Their sign is lost in 24 bits. */
	row->communication.peer = peer >= 0xfffffe ? peer - 0x1000000 : peer;
}

static void fill_procedure(struct tv_thread *t, struct tv_statistic *row, const struct wanted *w)
{
	const struct tv_inside *inside =
		w->hook ? tv_constructs_around(&t->constructs, t->rows.depth) : NULL;

	row->kind = w->site && w->site->kind == TV_SITE_LOOP ? TV_STAT_LOOP : TV_STAT_PROCEDURE;
	row->from = w->from;
	row->procedure.hook = w->hook;
	if (inside) {
		row->procedure.construct = 1 + (uint64_t)inside->construct;
		row->procedure.within = inside->at;
		row->procedure.body = inside->body;
	}
}

static struct tv_entry *entry_new(struct tv_thread *t, const struct wanted *w)
{
	struct tv_rows *rows = &t->rows;
	struct tv_entry *entry = take(rows, sizeof *entry);
	struct tv_statistic *row;

	if (!entry)
		return NULL;
	*entry = (struct tv_entry){ .row = rows->spare->row, .place = w->place, .from = w->from };
	if (w->kind == TV_KEY_PLACE)
		tv_lasting_note(t, w->place);
	if (w->kind != TV_KEY_WITH) {
		entry->procedure = procedure_of(rows, w->place, w->site != NULL);
		if (!entry->procedure)
			return NULL;
		entry->next = entry->procedure->entries;
	}
	if (w->site) {
		entry->what = tv_site_what(w->place, w->from);
		entry->across = tv_site_across(w->place, w->from);
	}
	row = row_new(t);
	if (!table_add(rows, w->place, w->key, entry))
		return NULL;
	if (entry->procedure)
		entry->procedure->entries = entry;
	if (!row)
		return entry;
	row->place = w->place;
	if (w->kind == TV_KEY_WITH)
		fill_with(row, w->from);
	else
		fill_procedure(t, row, w);
	entry->row = row;
	entry->at = ((struct tv_statistics *)(void *)rows->chunk)->at + rows->chunk->used;
	row_commit(rows);
	return entry;
}

/* Places of addresses that a probe gave. */
static struct wanted wanted_of(struct tv_thread *t, uint64_t a, uint64_t b, enum tv_key_kind kind)
{
	struct wanted w = { .place = a, .from = b, .kind = kind };

	if (kind == TV_KEY_SITE) {
		w.site = (const struct tv_site *)(uintptr_t)a;
		w.place = tv_site_place(w.site);
		w.from = b ? tv_site_place((const struct tv_site *)(uintptr_t)b) : 0;
	} else if (kind == TV_KEY_PLACE) {
		w.place = tv_lasting(t, a);
		w.from = tv_lasting(t, b);
	}
	return w;
}

static struct tv_cached *cached_of(struct tv_thread *t, uint64_t a, uint64_t b)
{
	const uint64_t mixed = (a ^ b << 7 ^ b >> 23) * UINT64_C(0x9e3779b97f4a7c15);

	return &t->rows.cache[mixed >> (64 - TV_CACHE_BITS)];
}

/* Asks for the row of (a, b), which is not in the cache. */
static struct tv_entry *entry_miss(struct tv_thread *t, uint64_t a, uint64_t b,
				   const struct wanted *w)
{
	struct tv_rows *rows = &t->rows;
	struct tv_entry *entry = NULL;

	/* A site of a library that never joined has no place. */
	if (w->place || w->kind != TV_KEY_SITE) {
		entry = key_at(rows, w->place, w->key)->value;
		if (!entry)
			entry = entry_new(t, w);
	}
	if (entry)
		*cached_of(t, a, b) = (struct tv_cached){ a, b, entry, 0 };
	else
		entry = rows->spare;
	rows->busy = false;
	return entry;
}

/* False: no row can be made now. */
static bool miss_begin(struct tv_rows *rows)
{
	const uint32_t generation = __atomic_load_n(&tv.generation, __ATOMIC_ACQUIRE);

	if (!rows->cache || rows->busy)
		return false;
	rows->busy = true;
	if (rows->generation != generation) {
		memset(rows->cache, 0, cache_bytes());
		rows->generation = generation;
	}
	return true;
}

struct tv_entry *tv_entry_miss(struct tv_thread *t, uint64_t a, uint64_t b, enum tv_key_kind kind)
{
	struct wanted w;

	if (!miss_begin(&t->rows))
		return t->rows.spare;
	w = wanted_of(t, a, b, kind);
	w.key = w.from;
	return entry_miss(t, a, b, &w);
}

struct tv_entry *tv_entry_entered_miss(struct tv_thread *t, uint64_t function, uint64_t caller,
				       uint64_t hook)
{
	struct wanted w = { .kind = TV_KEY_PLACE };

	if (!miss_begin(&t->rows))
		return t->rows.spare;
	w.place = tv_lasting(t, function);
	w.from = tv_lasting(t, caller);
	w.hook = tv_lasting(t, hook);
	w.key = tv_entered_make(w.from, w.hook);
	return entry_miss(t, function, tv_entered_make(caller, hook), &w);
}

/* ---- the limit ---- */

void tv_limit_check(struct tv_procedure *procedure)
{
	uint64_t time = 0, timed = 0;

	for (const struct tv_entry *e = procedure->entries; e; e = e->next) {
		time += e->row->time;
		timed += e->row->count - e->row->procedure.inner;
	}
	if (timed == 0 || time / timed >= tv.microsecond) {
		procedure->check *= 2;
		return;
	}
	procedure->check = UINT64_MAX;
	procedure->limited = true;
	for (const struct tv_entry *e = procedure->entries; e; e = e->next) {
		tv_row_begin(e->row);
		e->row->flags |= TV_STAT_LIMITED;
		tv_row_end(e->row);
	}
}

bool tv_frames_more(struct tv_rows *rows)
{
	const size_t bytes = rows->frames * sizeof *rows->stack;
	void *larger;

	if (rows->frames >= TV_FRAMES_MAX || rows->busy)
		return false;
	if (rows->own_stack) {
		larger = mremap(rows->stack, bytes, 2 * bytes, MREMAP_MAYMOVE);
	} else {
		larger = mmap(NULL, bytes ? 2 * bytes : (size_t)TV_OPEN_SIZE,
			      PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (larger != MAP_FAILED && bytes)
			memcpy(larger, rows->stack, bytes);
	}
	if (larger == MAP_FAILED)
		return false;
	if (!rows->own_stack) {
		/* The stack is deeper than the part that readers see. */
		rows->told->open = 0;
		rows->told = rows->untold;
		rows->own_stack = true;
	}
	rows->stack = larger;
	rows->frames = bytes ? rows->frames * 2 : (uint32_t)(TV_OPEN_SIZE / sizeof *rows->stack);
	return true;
}
