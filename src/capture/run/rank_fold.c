#include "capture/run/rank_fold.h"

#include <stdlib.h>
#include <string.h>

#include "base/keymap.h"
#include "base/mem.h"
#include "base/order.h"
#include "capture/run/chunk_copy.h"

/* A thread of which something is left out. */
struct folded {
	uint32_t thread;
	struct tv_ledger *ledger; /* its `covers`: the first chunk that is kept */
	VEC(char) definitions;    /* as words of a chunk */
	VEC(size_t) ends;         /* of those, where a chunk may end */
};

struct event_chunk {
	uint32_t thread, serial;
	uint64_t used;
	const struct tv_chunk *at;
};

struct rank_fold {
	VEC(struct folded) threads;
	struct keymap known; /* thread -> its place there */
	VEC(struct event_chunk) chunks;
	struct tv_chunk *copy; /* this and the slots: while chunks are taken */
	struct tv_words_slot_read *slots;
};

struct rank_fold *rank_fold_new(void)
{
	return xcalloc(1, sizeof(struct rank_fold));
}

void rank_fold_free(struct rank_fold *fold)
{
	struct folded *t;

	if (!fold)
		return;
	vec_each (t, &fold->threads) {
		free(t->ledger);
		vec_fini(&t->definitions);
		vec_fini(&t->ends);
	}
	vec_fini(&fold->threads);
	vec_fini(&fold->chunks);
	keymap_fini(&fold->known);
	free(fold);
}

static const struct folded *folded_of(const struct rank_fold *fold, uint32_t thread)
{
	const uint32_t *known = keymap_find(&fold->known, KEY_OF(thread));

	return known ? &fold->threads.data[*known] : NULL;
}

/* ---- which ---- */

static int latest_first(const void *a, const void *b)
{
	const struct event_chunk *x = a, *y = b;

	ORDER_BY(x->thread, y->thread);
	ORDER_BY(y->serial, x->serial);
	return ORDER(y->used, x->used);
}

static uint64_t find_chunks(struct rank_fold *fold, const char *live, size_t size)
{
	uint64_t bytes = 0;

	fold->chunks.n = 0;
	for (size_t at = TV_HEADER_SIZE; at + sizeof(struct tv_chunk) <= size;
	     at += TV_CHUNK_SIZE) {
		const struct tv_chunk *chunk = (const void *)(live + at);
		const uint64_t used = __atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE);
		const struct event_chunk found = { chunk->thread, chunk->serial, used, chunk };
		if (used < sizeof *chunk || used > TV_CHUNK_SIZE || used > size - at ||
		    chunk->holds != TV_HOLDS_EVENTS || found.thread >= RANK_THREADS_MAX ||
		    rank_fold_leaves_out(fold, chunk))
			continue;
		vec_push(&fold->chunks, found);
		bytes += used;
	}
	vec_sort(&fold->chunks, latest_first);
	return bytes;
}

/* ---- what they leave ---- */

static void keep_definition(struct folded *t, const struct tv_define *define)
{
	const uint64_t word = tv_word(TV_WORD_WHOLE, 0);
	const size_t at = t->definitions.n;

	for (size_t i = 0; i < sizeof word + define->size; i++)
		vec_push(&t->definitions, (char)0);
	memcpy(t->definitions.data + at, &word, sizeof word);
	memcpy(t->definitions.data + at + sizeof word, define, define->size);
	vec_push(&t->ends, t->definitions.n);
}

static void take_chunk(struct rank_fold *fold, struct folded *t, const struct event_chunk *c)
{
	struct tv_words_reader words = { .slots = fold->slots };
	struct tv_chunk *copy = fold->copy;
	const struct tv_head *head;

	t->ledger->lost += c->serial != t->ledger->covers;
	t->ledger->covers = c->serial + 1;
	if (chunk_copy_events(copy, c->at) != 0 || copy->used < sizeof *copy ||
	    copy->thread != c->thread || copy->serial != c->serial) {
		t->ledger->lost++;
		return;
	}
	tv_words_begin(&words, copy);
	while ((head = tv_words_next(&words, copy->used))) {
		if (!rank_is_of_run(head))
			keep_definition(t, (const void *)head);
		else
			tv_ledger_take(t->ledger, head);
	}
	t->ledger->lost += words.at < copy->used;
}

/* Goes on with what the process itself has of chunks that it overwrote, if that is more. */
static void follow_ring(struct folded *t, const char *live, size_t size)
{
	OWNED struct tv_ledger *own = xmalloc(sizeof *own);

	for (size_t at = TV_HEADER_SIZE; at + TV_CHUNK_SIZE <= size; at += TV_CHUNK_SIZE) {
		const struct tv_chunk *chunk = (const void *)(live + at);
		if (chunk->holds == TV_HOLDS_LEDGER && chunk->thread == t->thread &&
		    chunk_copy_ledger(own, chunk) && own->covers > t->ledger->covers)
			memcpy(t->ledger, own, sizeof *own);
	}
}

static struct folded *begin(struct rank_fold *fold, uint32_t thread, const char *live, size_t size)
{
	const struct tv_file *head = (const void *)live;
	struct folded *t;
	uint32_t place;

	if (keymap_new(&fold->known, KEY_OF(thread), fold->threads.n, &place)) {
		t = vec_add(&fold->threads);
		t->thread = thread;
		t->ledger = xcalloc(1, sizeof *t->ledger);
	}
	t = &fold->threads.data[place];
	if (head->ring)
		follow_ring(t, live, size);
	return t;
}

/* Whether a chunk has nothing later than `until`: the next one of its thread begins by then. */
static bool is_past(struct rank_fold *fold, const struct event_chunk *next, uint64_t until)
{
	struct tv_words_reader words = { .slots = fold->slots };
	const struct tv_head *head;

	tv_words_begin(&words, next->at);
	do
		head = tv_words_next(&words, next->used);
	while (head && head->kind == TV_DEFINE);
	return head && head->time <= until;
}

/* The chunks of a thread, the latest first; those that are there twice follow each other, the whole
 * one first. */
static void take_thread(struct rank_fold *fold, const struct event_chunk *first, size_t n,
			const struct look_bounds *bounds, const char *live, size_t size)
{
	struct folded *t = NULL;
	uint64_t kept = 0;
	size_t i = 0;

	while (i < n &&
	       (first[i].serial + 2 > first[0].serial || kept + first[i].used <= bounds->room))
		kept += first[i++].used;
	for (size_t at = n; at-- > i;) {
		if (first[at - 1].serial == first[at].serial)
			continue;
		if (!is_past(fold, &first[at - 1], bounds->until))
			return;
		if (!t)
			t = begin(fold, first->thread, live, size);
		if (first[at].serial >= t->ledger->covers)
			take_chunk(fold, t, &first[at]);
	}
}

void rank_fold_take(struct rank_fold *fold, const char *live, size_t size,
		    const struct look_bounds *bounds)
{
	const uint64_t bytes = find_chunks(fold, live, size);
	const struct event_chunk *first = fold->chunks.data;
	struct look_bounds each = *bounds;
	uint32_t threads = 0;
	size_t n;

	if (!fold->chunks.n || bytes <= bounds->room)
		return;
	for (size_t i = 0; i < fold->chunks.n; i++)
		threads += !i || first[i].thread != first[i - 1].thread;
	each.room /= threads;
	fold->copy = xcalloc(1, TV_CHUNK_SIZE);
	fold->slots = xcalloc(TV_WORD_SLOTS, sizeof *fold->slots);
	for (size_t i = 0; i < fold->chunks.n; i += n) {
		for (n = 1; i + n < fold->chunks.n && first[i + n].thread == first[i].thread; n++)
			;
		take_thread(fold, &first[i], n, &each, live, size);
	}
	free_all(fold->copy, fold->slots);
	fold->copy = NULL;
	fold->slots = NULL;
}

bool rank_fold_leaves_out(const struct rank_fold *fold, const struct tv_chunk *chunk)
{
	const struct folded *t = folded_of(fold, chunk->thread);

	if (!t)
		return false;
	return chunk->holds == TV_HOLDS_LEDGER ||
	       (chunk->holds == TV_HOLDS_EVENTS && chunk->serial < t->ledger->covers);
}

/* ---- in a copy ---- */

/* The end of the definitions from `from` on that fill a chunk; *next: the next in `ends`. */
static size_t fill(const struct folded *t, size_t from, size_t *next)
{
	size_t end = from;

	while (*next < t->ends.n &&
	       t->ends.data[*next] - from + sizeof(struct tv_chunk) <= TV_CHUNK_SIZE)
		end = t->ends.data[(*next)++];
	return end;
}

uint32_t rank_fold_places(const struct rank_fold *fold)
{
	const struct folded *t;
	uint32_t places = 0;

	vec_each (t, &fold->threads) {
		places++;
		for (size_t at = 0, next = 0; at < t->definitions.n; places++)
			at = fill(t, at, &next);
	}
	return places;
}

static struct tv_chunk *place(char *copy, uint32_t number, uint32_t thread, uint32_t holds)
{
	struct tv_chunk *chunk = (void *)(copy + TV_HEADER_SIZE + (size_t)number * TV_CHUNK_SIZE);

	chunk->thread = thread;
	chunk->holds = holds;
	chunk->home = number;
	return chunk;
}

void rank_fold_write(const struct rank_fold *fold, char *copy, uint32_t first)
{
	const struct folded *t;

	vec_each (t, &fold->threads) {
		uint32_t serial = 0;
		memcpy(copy + TV_HEADER_SIZE + (size_t)first * TV_CHUNK_SIZE, t->ledger,
		       sizeof *t->ledger);
		place(copy, first++, t->thread, TV_HOLDS_LEDGER)->used = sizeof *t->ledger;
		for (size_t at = 0, next = 0, end; at < t->definitions.n; at = end) {
			struct tv_chunk *chunk =
				place(copy, first++, t->thread, TV_HOLDS_DEFINITIONS);
			end = fill(t, at, &next);
			chunk->serial = serial++;
			chunk->used = sizeof *chunk + (end - at);
			memcpy(chunk + 1, t->definitions.data + at, end - at);
		}
	}
}

/* ---- of all ranks ---- */

struct rank_folds {
	uint64_t room;
	VEC(struct rank_fold *) folds;
	VEC(char *) paths;
};

struct rank_folds *rank_folds_new(uint64_t room)
{
	struct rank_folds *folds = xcalloc(1, sizeof *folds);

	folds->room = room;
	return folds;
}

void rank_folds_free(struct rank_folds *folds)
{
	if (!folds)
		return;
	for (size_t i = 0; i < folds->folds.n; i++) {
		rank_fold_free(folds->folds.data[i]);
		free(folds->paths.data[i]);
	}
	vec_fini(&folds->folds);
	vec_fini(&folds->paths);
	free(folds);
}

struct rank_fold *rank_folds_of(struct rank_folds *folds, const char *path)
{
	for (size_t i = 0; i < folds->paths.n; i++)
		if (!strcmp(folds->paths.data[i], path))
			return folds->folds.data[i];
	vec_push(&folds->paths, xstrdup(path));
	vec_push(&folds->folds, rank_fold_new());
	return *vec_last(&folds->folds);
}

uint64_t rank_folds_room(const struct rank_folds *folds, uint32_t files)
{
	return folds->room / (files ? files : 1);
}
