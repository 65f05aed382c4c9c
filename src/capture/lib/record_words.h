/* record_words: the records of a chunk as a thread writes them, in words of 8 bytes, while the
 * program runs; a reader makes records (record.h) of them again.
 *
 * Records differ from earlier ones mostly in their time, and in the number of their request. So a
 * record's other contents have a number in the chunk, its *slot*; they are written when it is used
 * first, or again. A word is
 *
 *	bits 0..31	ticks since the record before; it may have 0
 *	     32..47	slot
 *	     48..59	TV_WORD_BACK: by how much the request's number is less than the latest one
 *	     60..63	enum tv_word
 *
 * A chunk can be read without others. Its first word is a time, for the record before is of time 0.
 *
 * Writer (recorder.h has room and commit):
 *
 *	at = tv_words_slot(w, at, what, second, third, &slot);
 *	at = tv_words_put(w, at, time, tv_word(TV_WORD_RECORD, slot));
 *
 * Reader, of bytes that may be damaged or forged:
 *
 *	struct tv_words_reader r = { .slots = ... };
 *	tv_words_begin(&r, chunk);
 *	while ((head = tv_words_next(&r, used)))	NULL with r.at < used: damaged
 *		...
 *
 * A record is valid until the next one; a definition as long as the chunk. libc alone, no state. */
#pragma once

#include <stdbool.h>
#include <string.h>

#include "capture/lib/record.h"

/* Zeros, as in parts of a file that were never written, are not a word. */
enum tv_word {
	TV_WORD_NONE,
	TV_WORD_TIME,   /* 60 bits: as if the record before had that time */
	TV_WORD_NUMBER, /* 32 bits: the latest number of a request, from here on */
	TV_WORD_SLOT, /* the slot's contents follow: what is after a record's time, 1 or 3 words */
	TV_WORD_RECORD,
	TV_WORD_LEFT,  /* the leave of a function or site, of whose enter the slot is */
	TV_WORD_NEXT,  /* of a request with the number after the latest, which it becomes */
	TV_WORD_BACK,  /* of an earlier request, or the latest */
	TV_WORD_HEAD,  /* slot: tv_head.call; from bit 48 on its kind; the rest is 0 */
	TV_WORD_WHOLE, /* a record follows as it is, with its time */
	TV_WORDS
};

enum {
	TV_WORD_SLOT_AT = 32,
	TV_WORD_BACK_AT = 48,
	TV_WORD_AT = 60,
	TV_WORD_BACK_MOST = 0xfff,
	TV_WORD_SLOTS = 1 << 16,
	/* Slots of contents that are looked up; the others are given to functions and sites. */
	TV_WORD_KNOWN_BITS = 10,
	TV_WORD_KNOWN = 1 << TV_WORD_KNOWN_BITS,
	/* Bytes that a record takes at most, unless it is whole. */
	TV_WORDS_MOST = 7 * sizeof(uint64_t),
};

static inline uint64_t tv_word(enum tv_word word, uint32_t slot)
{
	return (uint64_t)word << TV_WORD_AT | (uint64_t)slot << TV_WORD_SLOT_AT;
}

#define TV_KIND(kind) (UINT64_C(1) << (kind))

/* Kinds of records with 32 bytes; all others have 16, but definitions and counts, which are always
 * whole. */
#define TV_KINDS_LONG                                                                              \
	(TV_KIND(TV_ENTER) | TV_KIND(TV_BORN) | TV_KIND(TV_FORK) | TV_KIND(TV_OMP_ENTER) |         \
	 TV_KIND(TV_SEND) | TV_KIND(TV_RECV) | TV_KIND(TV_RECV_REQUEST) | TV_KIND(TV_COLL_BEGIN) | \
	 TV_KIND(TV_COLL_COMPLETE) | TV_KIND(TV_RMA) | TV_KIND(TV_FILE_IO))

/* Kinds with 16 bytes whose id is the number of a request. */
#define TV_KINDS_NUMBERED                                                                       \
	(TV_KIND(TV_SEND_COMPLETE) | TV_KIND(TV_REQUEST_TEST) | TV_KIND(TV_REQUEST_CANCELLED) | \
	 TV_KIND(TV_REQUEST_FREED) | TV_KIND(TV_COLL_REQUEST) | TV_KIND(TV_RMA_COMPLETE))

_Static_assert(TV_KINDS <= 64, "sets of kinds are one word");

static inline bool tv_words_long(uint64_t what)
{
	return TV_KINDS_LONG >> (what & 63) & 1;
}

/* ---- writing ---- */

struct tv_statistic;

/* What is after a record's time; words that a record of 16 bytes does not have are 0. */
struct tv_contents {
	uint64_t what, second, third;
	/* The writer's own: of the enter of a call, the row of the latest one; NULL: not known. */
	struct tv_statistic *row;
};

/* Of a thread, in its chunk. */
struct tv_wording {
	struct tv_contents *known; /* of TV_WORD_KNOWN slots; what = 0: none */
	uint64_t time;             /* of the latest record */
	uint64_t number;           /* of the latest request */
	uint64_t besides;          /* bytes that are not records of one word */
	uint32_t stamp;            /* of the slots in use: never 0 */
	uint32_t slots;            /* the first that is free */
	uint32_t found;            /* the latest that was given to a function or site */
};

/* All slots lose their meaning, the latest time and number too: for a chunk that begins (`fresh`),
 * or where it is not known whether the last words were written. */
static inline void tv_words_forget(struct tv_wording *w, bool fresh)
{
	/* Neither may be right by chance. */
	w->time = fresh ? 0 : UINT64_C(1) << 63;
	w->number = fresh ? 0 : UINT64_C(1) << 63;
	w->besides = 0;
	w->stamp += w->stamp == UINT32_MAX ? 2 : 1;
	w->slots = TV_WORD_KNOWN;
	if (w->known)
		memset(w->known, 0, TV_WORD_KNOWN * sizeof *w->known);
}

/* Writes what a slot is; 0 for `second` and `third` of a record with 16 bytes. */
static inline __attribute__((cold)) uint64_t *tv_words_define(struct tv_wording *w, uint64_t *at,
							      uint32_t slot,
							      const struct tv_contents *contents)
{
	const size_t words = tv_words_long(contents->what) ? 3 : 1;

	*at++ = tv_word(TV_WORD_SLOT, slot);
	memcpy(at, contents, words * sizeof *at);
	w->besides += (1 + words) * sizeof *at;
	return at + words;
}

/* Whether contents have a slot: `slot`, or else the one that they get. */
static inline bool tv_words_known(const struct tv_wording *w, uint64_t what, uint64_t second,
				  uint64_t third, uint32_t *slot)
{
	const uint64_t sum = what + 3 * second + 5 * third;
	const struct tv_contents *known;

	*slot = (uint32_t)(sum * UINT64_C(0xd6e8feb86659fd93) >> (64 - TV_WORD_KNOWN_BITS));
	known = &w->known[*slot];
	return known->what == what && known->second == second && known->third == third;
}

/* The slot of contents, which are written where they are new. */
static inline uint64_t *tv_words_slot(struct tv_wording *w, uint64_t *at, uint64_t what,
				      uint64_t second, uint64_t third, uint32_t *slot)
{
	if (__builtin_expect(tv_words_known(w, what, second, third, slot), 1))
		return at;
	w->known[*slot] = (struct tv_contents){ what, second, third, NULL };
	return tv_words_define(w, at, *slot, &w->known[*slot]);
}

static inline uint64_t *tv_words_put(struct tv_wording *w, uint64_t *at, uint64_t time,
				     uint64_t word)
{
	uint64_t later = time - w->time;

	if (__builtin_expect(later >> TV_WORD_SLOT_AT != 0, 0)) {
		*at++ = (uint64_t)TV_WORD_TIME << TV_WORD_AT | time;
		w->besides += sizeof *at;
		later = 0;
	}
	w->time = time;
	*at++ = later | word;
	return at;
}

/* The leave of a call. */
static inline uint64_t *tv_words_put_leave(struct tv_wording *w, uint64_t *at, uint64_t time,
					   uint32_t call)
{
	return tv_words_put(w, at, time,
			    tv_word(TV_WORD_HEAD, call) | (uint64_t)TV_LEAVE << TV_WORD_BACK_AT);
}

/* The same of a record with the number of a request; 0: it has none. */
static inline uint64_t *tv_words_put_numbered(struct tv_wording *w, uint64_t *at, uint64_t time,
					      uint32_t slot, uint32_t number)
{
	uint64_t back;

	if (number == 0)
		return tv_words_put(w, at, time, tv_word(TV_WORD_RECORD, slot));
	if (number == w->number + 1) {
		w->number = number;
		return tv_words_put(w, at, time, tv_word(TV_WORD_NEXT, slot));
	}
	back = w->number - number;
	if (__builtin_expect(back > TV_WORD_BACK_MOST, 0)) {
		*at++ = (uint64_t)TV_WORD_NUMBER << TV_WORD_AT | number;
		w->besides += sizeof *at;
		w->number = number;
		back = 0;
	}
	return tv_words_put(w, at, time, tv_word(TV_WORD_BACK, slot) | back << TV_WORD_BACK_AT);
}

/* ---- reading ---- */

struct tv_words_slot_read {
	struct tv_contents contents;
	const struct tv_chunk *of; /* that it has a meaning in */
};

struct tv_words_reader {
	struct tv_words_slot_read *slots; /* TV_WORD_SLOTS, the caller's; zeroed once */
	const struct tv_chunk *chunk;
	size_t at; /* bytes into the chunk */
	uint64_t time;
	uint32_t number;
	uint64_t record[4]; /* made of words */
};

static inline void tv_words_begin(struct tv_words_reader *r, const struct tv_chunk *chunk)
{
	r->chunk = chunk;
	r->at = sizeof *chunk;
	r->time = 0;
	r->number = 0;
}

/* The next words, of `bytes`, and goes on after them; NULL: there are not so many. */
static inline const uint64_t *tv_words_take(struct tv_words_reader *r, size_t used, size_t bytes)
{
	const uint64_t *at = (const void *)((const char *)r->chunk + r->at);

	if (r->at > used || used - r->at < bytes)
		return NULL;
	r->at += bytes;
	return at;
}

static inline bool tv_words_kind_known(uint64_t what)
{
	const uint32_t kind = what & 0xff;

	/* Those that are longer are kept whole. */
	return kind != TV_NONE && kind < TV_KINDS && kind != TV_DEFINE && kind != TV_COUNTED &&
	       kind != TV_VIRTUAL && kind != TV_CORE_WAIT;
}

static inline bool tv_words_read_slot(struct tv_words_reader *r, size_t used, uint32_t slot)
{
	struct tv_words_slot_read *s = &r->slots[slot];
	const uint64_t *from = tv_words_take(r, used, sizeof *from);

	if (!from || !tv_words_kind_known(*from))
		return false;
	s->of = r->chunk;
	s->contents = (struct tv_contents){ .what = *from };
	if (!tv_words_long(*from))
		return true;
	from = tv_words_take(r, used, 2 * sizeof *from);
	if (!from)
		return false;
	s->contents.second = from[0];
	s->contents.third = from[1];
	return true;
}

static inline const struct tv_head *tv_words_whole(struct tv_words_reader *r, size_t used)
{
	const struct tv_head *head = (const void *)((const char *)r->chunk + r->at);
	size_t size;

	if (used - r->at < sizeof *head || head->kind == TV_NONE || head->kind >= TV_KINDS ||
	    (head->kind == TV_DEFINE && used - r->at < sizeof(struct tv_define)))
		return NULL;
	size = tv_record_size(head);
	if (size < sizeof *head || size % 8 || !tv_words_take(r, used, size))
		return NULL;
	r->time = head->time;
	return head;
}

static inline const struct tv_head *tv_words_made(struct tv_words_reader *r, uint64_t word,
						  enum tv_word is)
{
	const struct tv_words_slot_read *s = &r->slots[word >> TV_WORD_SLOT_AT & 0xffff];
	uint64_t what = s->contents.what;

	if (s->of != r->chunk)
		return NULL;
	if (is == TV_WORD_LEFT && (what & 0xff) == TV_FUNCTION_ENTER)
		what ^= (uint64_t)TV_FUNCTION_ENTER ^ (uint64_t)TV_FUNCTION_LEAVE;
	else if (is == TV_WORD_LEFT && (what & 0xff) == TV_SITE_ENTER)
		what ^= (uint64_t)TV_SITE_ENTER ^ (uint64_t)TV_SITE_LEAVE;
	else if (is == TV_WORD_LEFT)
		return NULL;
	if (is == TV_WORD_NEXT)
		what |= (uint64_t)++r->number << 32;
	if (is == TV_WORD_BACK)
		what |= (uint64_t)(uint32_t)(r->number -
					     (word >> TV_WORD_BACK_AT & TV_WORD_BACK_MOST))
			<< 32;
	r->time += word & UINT32_MAX;
	r->record[0] = r->time;
	r->record[1] = what;
	r->record[2] = s->contents.second;
	r->record[3] = s->contents.third;
	return (const struct tv_head *)(const void *)r->record;
}

static inline const struct tv_head *tv_words_head(struct tv_words_reader *r, uint64_t word)
{
	const uint64_t kind = word >> TV_WORD_BACK_AT & 0xff;

	if (!tv_words_kind_known(kind) || tv_words_long(kind))
		return NULL;
	r->time += word & UINT32_MAX;
	r->record[0] = r->time;
	r->record[1] = kind | (word >> TV_WORD_SLOT_AT & 0xffff) << 16;
	return (const struct tv_head *)(const void *)r->record;
}

/* `used`: bytes of the chunk. NULL at its end, and where it is damaged, which it then stays at. */
static inline const struct tv_head *tv_words_next(struct tv_words_reader *r, size_t used)
{
	const uint64_t *at;

	while ((at = tv_words_take(r, used, sizeof *at))) {
		const enum tv_word is = (enum tv_word)(*at >> TV_WORD_AT);
		const struct tv_head *head = NULL;
		const size_t from = r->at - sizeof *at;
		switch (is) {
		case TV_WORD_TIME: r->time = *at & ((UINT64_C(1) << TV_WORD_AT) - 1); continue;
		case TV_WORD_NUMBER: r->number = (uint32_t)*at; continue;
		case TV_WORD_SLOT:
			if (tv_words_read_slot(r, used, *at >> TV_WORD_SLOT_AT & 0xffff))
				continue;
			break;
		case TV_WORD_RECORD:
		case TV_WORD_LEFT:
		case TV_WORD_NEXT:
		case TV_WORD_BACK: head = tv_words_made(r, *at, is); break;
		case TV_WORD_HEAD: head = tv_words_head(r, *at); break;
		case TV_WORD_WHOLE: head = tv_words_whole(r, used); break;
		case TV_WORD_NONE:
		case TV_WORDS: break;
		}
		if (!head)
			r->at = from;
		return head;
	}
	return NULL;
}
