#include "capture/run/rank_follow.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/order.h"
#include "capture/run/chunk_copy.h"

/* Where a thread's records were read up to; of definitions in chunks of their own, too. */
struct place {
	uint32_t serial;
	uint64_t at; /* bytes into its chunk */
};

struct followed {
	struct place place[2]; /* events, definitions */
};

/* A chunk as a look found it. */
struct found {
	uint32_t thread, serial;
	uint32_t kind;    /* of `place` */
	uint32_t written; /* 0: its thread may go on in it */
	const struct tv_chunk *chunk;
};

struct rank_follow {
	char *path;
	const struct tv_file *head; /* the mapping; NULL: none yet */
	size_t size;
	VEC(struct followed) threads; /* by number */
	VEC(struct found) found;
	struct follow_room *room;
};

struct follow_room {
	struct tv_chunk *copy; /* of the one that is read */
	struct tv_words_slot_read *slots;
};

struct follow_room *follow_room_new(void)
{
	struct follow_room *room = xcalloc(1, sizeof *room);

	room->copy = xcalloc(1, TV_CHUNK_SIZE);
	room->slots = xcalloc(TV_WORD_SLOTS, sizeof *room->slots);
	return room;
}

void follow_room_free(struct follow_room *room)
{
	if (room)
		free_all(room->copy, room->slots, room);
}

struct rank_follow *rank_follow_new(const char *path, struct follow_room *room)
{
	struct rank_follow *f = xcalloc(1, sizeof *f);

	f->path = xstrdup(path);
	f->room = room;
	return f;
}

static void unmap(struct rank_follow *f)
{
	if (f->head)
		munmap((void *)(uintptr_t)f->head, f->size);
	f->head = NULL;
}

void rank_follow_free(struct rank_follow *f)
{
	if (!f)
		return;
	unmap(f);
	vec_fini(&f->threads);
	vec_fini(&f->found);
	free_all(f->path, f);
}

const struct tv_file *rank_follow_head(const struct rank_follow *f)
{
	return f->head;
}

bool rank_follow_map(struct rank_follow *f)
{
	struct err ignored = ERR_INIT;
	size_t size = 0;
	const int fd = rankfile_descriptor(f->path, "", &size, &ignored);
	void *at = MAP_FAILED;

	if (fd < 0)
		return f->head != NULL; /* removed */
	if (!f->head || size != f->size) {
		unmap(f);
		at = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
		f->head = at == MAP_FAILED ? NULL : at;
		f->size = size;
	}
	close(fd);
	if (f->head && (memcmp(f->head->magic, TV_MAGIC, sizeof f->head->magic) != 0 ||
			f->head->version != TV_VERSION))
		unmap(f);
	return f->head != NULL;
}

/* ---- which chunks ---- */

static struct followed *followed_of(struct rank_follow *f, uint32_t thread)
{
	const struct followed none = { { { 0, 0 }, { 0, 0 } } };

	while (f->threads.n <= thread)
		vec_push(&f->threads, none);
	return &f->threads.data[thread];
}

static bool is_wanted(struct rank_follow *f, const struct found *c)
{
	return c->thread < RANK_THREADS_MAX &&
	       c->serial >= followed_of(f, c->thread)->place[c->kind].serial;
}

/* Those at home first: what they lose afterwards is in the file. */
static void find_chunks(struct rank_follow *f)
{
	const size_t room = (f->size - TV_HEADER_SIZE) / sizeof(struct tv_chunk);

	f->found.n = 0;
	for (uint32_t pass = 0; pass < 2 && room; pass++)
		for (size_t i = 0, at = TV_HEADER_SIZE; at + sizeof(struct tv_chunk) <= f->size;
		     i++, at += TV_CHUNK_SIZE) {
			const struct tv_chunk *chunk = (const void *)((const char *)f->head + at);
			const uint64_t used = __atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE);
			const struct found c = { chunk->thread, chunk->serial,
						 chunk->holds == TV_HOLDS_DEFINITIONS, pass,
						 chunk };
			if (used < sizeof *chunk || used > TV_CHUNK_SIZE || used > f->size - at ||
			    (chunk->holds != TV_HOLDS_EVENTS &&
			     chunk->holds != TV_HOLDS_DEFINITIONS) ||
			    (chunk->home != i) != pass)
				continue;
			if (is_wanted(f, &c))
				vec_push(&f->found, c);
		}
}

static int by_serial(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	ORDER_BY(x->thread, y->thread);
	ORDER_BY(y->kind, x->kind); /* definitions, then events */
	ORDER_BY(x->serial, y->serial);
	return ORDER(x->written, y->written);
}

/* ---- reading them ---- */

/* False: it has become another one meanwhile. */
static bool copy(struct rank_follow *f, const struct found *c)
{
	return chunk_copy_events(f->room->copy, c->chunk) == 0 &&
	       f->room->copy->used >= sizeof *f->room->copy && f->room->copy->thread == c->thread &&
	       f->room->copy->serial == c->serial;
}

/* What of the copy has not been told; false: it is damaged. */
static bool tell_copy(struct rank_follow *f, uint32_t thread, struct place *place,
		      rank_follow_tell *tell, void *context)
{
	struct tv_words_reader words = { .slots = f->room->slots };
	const struct tv_head *head;

	tv_words_begin(&words, f->room->copy);
	while ((head = tv_words_next(&words, f->room->copy->used)))
		if (words.at > place->at)
			tell(context, thread, head);
	place->at = words.at > place->at ? words.at : place->at;
	return words.at >= f->room->copy->used;
}

/* The next chunk, copied, that of the same serial at home or where it was written (record.h), and
 * goes on after both; NULL: it has changed just now. */
static const struct found *next_chunk(struct rank_follow *f, const struct found **at,
				      const struct found *end)
{
	const struct found *c = (*at)++, *other;

	if (*at == end || (*at)->serial != c->serial)
		return copy(f, c) ? c : NULL;
	other = (*at)++;
	if (!copy(f, c))
		return NULL;
	if (f->room->copy->used >= __atomic_load_n(&other->chunk->used, __ATOMIC_ACQUIRE))
		return c;
	return copy(f, other) ? other : NULL;
}

/* Those of a thread and kind. What comes after one that changed just now is left for the next
 * look. */
static void tell_chunks(struct rank_follow *f, const struct found *at, const struct found *end,
			rank_follow_tell *tell, void *context)
{
	struct place *place = &followed_of(f, at->thread)->place[at->kind];
	const uint32_t last = end[-1].serial;
	const struct found *c;

	while (at < end && (c = next_chunk(f, &at, end))) {
		if (c->serial < place->serial)
			continue;
		if (c->serial > place->serial) {
			*place = (struct place){ c->serial, 0 };
			tell(context, c->thread, NULL);
		}
		if (!tell_copy(f, c->thread, place, tell, context))
			tell(context, c->thread, NULL);
		if (c->written || last > c->serial)
			*place = (struct place){ c->serial + 1, 0 };
	}
}

static bool go_together(const struct found *a, const struct found *b)
{
	return a->thread == b->thread && a->kind == b->kind;
}

void rank_follow_look(struct rank_follow *f, rank_follow_tell *tell, void *context)
{
	if (!rank_follow_map(f))
		return;
	find_chunks(f);
	vec_sort(&f->found, by_serial);
	for (size_t i = 0, n; i < f->found.n; i += n) {
		const struct found *first = &f->found.data[i];
		for (n = 1; i + n < f->found.n && go_together(first, first + n); n++)
			;
		tell_chunks(f, first, first + n, tell, context);
	}
}
