/* record_pack: packs the records of a chunk for the copy that a thread writes into the file
 * (record.h): packing a page takes less time than the system needs to write it.
 *
 * Many records differ only in their time and in the number of their request. So both sides keep a
 * table of records, two for each hash, and a record that is in the table is written as its place in
 * it. Each chunk is packed by itself, so that it can be read without the others.
 *
 *	token	4 bytes: place in the table in 10 bits, enum tv_pack_code in 2, and 20 bits of
 *		time: what has to be added to that of the record before
 *	further	TV_PACK_FAR: 4 bytes that have to be added to the latest number of a request.
 *		TV_PACK_WHOLE: 8 bytes of time, 4 of number, then the record's words after its
 *		time, 1 or 3; where a request's number is, all bits are set
 *
 *	n = tv_pack(table, records, bytes, to, room);		0: leave them as they are
 *	...
 *	got = tv_unpack(table, packed, n, records, bytes);	less than `bytes`: damaged
 *
 * Definitions are not packed, for readers keep pointers to them. libc alone, no state. */
#pragma once

#include <stdbool.h>
#include <string.h>

#include "capture/lib/record.h"

enum {
	TV_PACK_BITS = 10,
	TV_PACK_CODE = TV_PACK_BITS,
	TV_PACK_TIME = TV_PACK_CODE + 2,
	TV_PACK_MOST = 40, /* bytes of a record */
};

/* How the number of the latest request changes: by 0, by 1, or by a number that follows. Zeros, as
 * in the parts of a file that were never written, are not a record. */
enum tv_pack_code { TV_PACK_WHOLE, TV_PACK_SAME, TV_PACK_NEXT, TV_PACK_FAR };

/* What is after the time; words that a record of 16 bytes does not have are 0. */
struct tv_packed {
	uint64_t what, second, third, unused;
};

struct tv_pack_table {
	struct tv_packed record[1 << TV_PACK_BITS];
};

#define TV_PACK_SOME_NUMBER (UINT64_C(0xffffffff) << 32)

#define TV_KIND(kind) (UINT64_C(1) << (kind))

/* Kinds by their size, 32 or 16 bytes, and by whether their id is the number of a request. All
 * others have 16 and no number. */
#define TV_PACK_LONG_NUMBERED                                                               \
	(TV_KIND(TV_SEND) | TV_KIND(TV_RECV) | TV_KIND(TV_RECV_REQUEST) | TV_KIND(TV_RMA) | \
	 TV_KIND(TV_COLL_COMPLETE))
#define TV_PACK_LONG_ONLY                                                                  \
	(TV_KIND(TV_ENTER) | TV_KIND(TV_BORN) | TV_KIND(TV_FORK) | TV_KIND(TV_OMP_ENTER) | \
	 TV_KIND(TV_COLL_BEGIN) | TV_KIND(TV_FILE_IO))
#define TV_PACK_NUMBERED_ONLY                                                                   \
	(TV_KIND(TV_SEND_COMPLETE) | TV_KIND(TV_REQUEST_TEST) | TV_KIND(TV_REQUEST_CANCELLED) | \
	 TV_KIND(TV_REQUEST_FREED) | TV_KIND(TV_COLL_REQUEST) | TV_KIND(TV_RMA_COMPLETE))

#define TV_PACK_LONG     (TV_PACK_LONG_NUMBERED | TV_PACK_LONG_ONLY)
#define TV_PACK_NUMBERED (TV_PACK_LONG_NUMBERED | TV_PACK_NUMBERED_ONLY)

_Static_assert(TV_KINDS <= 64, "sets of kinds are one word");

static inline bool tv_pack_is(uint64_t kinds, uint64_t what)
{
	return kinds >> (what & 63) & 1;
}

static inline bool tv_pack_knows(uint64_t what)
{
	const uint32_t kind = what & 0xff;

	return kind != TV_NONE && kind < TV_KINDS && kind != TV_DEFINE;
}

/* ---- packing ---- */

struct tv_packing {
	unsigned char *to, *last; /* where a record may begin; NULL: one cannot be packed */
	uint64_t time;
	uint32_t number;
};

/* The first of the two places of a record. */
static inline uint32_t tv_pack_hash(uint64_t what, uint64_t second, uint64_t third)
{
	const uint64_t sum = what + 3 * second + 5 * third;

	return (uint32_t)(sum * UINT64_C(0xd6e8feb86659fd93) >> (64 - TV_PACK_BITS)) & ~1u;
}

static inline bool tv_pack_same(const struct tv_packed *a, const struct tv_packed *b, bool brief)
{
	return a->what == b->what && (brief || (a->second == b->second && a->third == b->third));
}

static inline void tv_pack_put(struct tv_packing *p, uint32_t token)
{
	memcpy(p->to, &token, sizeof token);
	p->to += sizeof token;
}

static inline void tv_pack_known(struct tv_packing *p, uint32_t at, uint64_t more, uint32_t further)
{
	const uint32_t code = TV_PACK_SAME + (further < 2 ? further : 2);

	tv_pack_put(p, at | code << TV_PACK_CODE | (uint32_t)more << TV_PACK_TIME);
	if (code == TV_PACK_FAR)
		tv_pack_put(p, further);
}

/* A record that is not at its first place, or long after the one before. */
static __attribute__((noinline)) void tv_pack_other(struct tv_pack_table *table,
						    struct tv_packing *p, uint32_t at,
						    const struct tv_packed *r, uint64_t more,
						    uint32_t further)
{
	const size_t words = tv_pack_is(TV_PACK_LONG, r->what) ? 3 : 1;

	if (table->record[at].what && !tv_pack_same(&table->record[at], r, false))
		at++;
	if (tv_pack_same(&table->record[at], r, false) && !(more >> (32 - TV_PACK_TIME))) {
		tv_pack_known(p, at, more, further);
		return;
	}
	tv_pack_put(p, at | (uint32_t)TV_PACK_WHOLE << TV_PACK_CODE);
	memcpy(p->to, &more, sizeof more);
	memcpy(p->to + sizeof more, &further, sizeof further);
	memcpy(p->to + sizeof more + sizeof further, r, words * sizeof r->what);
	p->to += sizeof more + sizeof further + words * sizeof r->what;
	table->record[at] = *r;
	if (!tv_pack_knows(r->what))
		p->last = NULL;
}

/* Packs a record whose words after the time are `r`: only one word if `brief`. `further` is added
 * to the number of the request. */
static inline __attribute__((always_inline)) void
tv_pack_record(struct tv_pack_table *table, struct tv_packing *p, uint64_t time,
	       const struct tv_packed *r, bool brief, uint32_t further)
{
	const uint64_t more = time - p->time;
	const uint32_t at = tv_pack_hash(r->what, r->second, r->third);

	p->time = time;
	if (__builtin_expect(tv_pack_same(&table->record[at], r, brief) &&
				     !(more >> (32 - TV_PACK_TIME)),
			     1))
		tv_pack_known(p, at, more, further);
	else
		tv_pack_other(table, p, at, r, more, further);
}

/* Packs a record of a kind that has the number of a request. */
static inline __attribute__((always_inline)) void
tv_pack_numbered(struct tv_pack_table *table, struct tv_packing *p, const uint64_t *words)
{
	const bool is_long = tv_pack_is(TV_PACK_LONG, words[1]);
	const uint32_t number = (uint32_t)(words[1] >> 32), before = p->number;
	const struct tv_packed r = { .what = words[1] | (number ? TV_PACK_SOME_NUMBER : 0),
				     .second = is_long ? words[2] : 0,
				     .third = is_long ? words[3] : 0 };

	p->number = number ? number : before;
	tv_pack_record(table, p, words[0], &r, false, p->number - before);
}

/* Returns the bytes written to `to`; 0 if they would exceed `room`, or a record does not pack. */
static inline size_t tv_pack(struct tv_pack_table *table, const void *records, size_t bytes,
			     void *to, size_t room)
{
	const char *at = records, *const end = at + bytes;
	struct tv_packing p = { .to = to, .last = (unsigned char *)to + room - TV_PACK_MOST };
	const uint64_t unusual = TV_PACK_LONG | TV_PACK_NUMBERED_ONLY;

	memset(table, 0, sizeof *table);
	while (at < end && p.to <= p.last) {
		const uint64_t *words = (const void *)at;
		const uint64_t what = words[1];
		if (!tv_pack_is(unusual, what)) {
			tv_pack_record(table, &p, words[0], &(struct tv_packed){ .what = what },
				       true, 0);
			at += 16;
			continue;
		}
		if (tv_pack_is(TV_PACK_NUMBERED, what))
			tv_pack_numbered(table, &p, words);
		else
			tv_pack_record(table, &p, words[0],
				       &(struct tv_packed){ what, words[2], words[3], 0 }, false,
				       0);
		at += tv_pack_is(TV_PACK_LONG, what) ? 32 : 16;
	}
	return at == end && p.last ? (size_t)(p.to - (unsigned char *)to) : 0;
}

/* ---- unpacking: of bytes that may be damaged or forged ---- */

struct tv_unpacking {
	const unsigned char *at, *end;
	uint64_t time;
	uint32_t number;
};

/* The next bytes; false: there are not so many. */
static inline bool tv_unpack_take(struct tv_unpacking *u, size_t bytes, void *to)
{
	if ((size_t)(u->end - u->at) < bytes)
		return false;
	memcpy(to, u->at, bytes);
	u->at += bytes;
	return true;
}

static inline bool tv_unpack_whole(struct tv_unpacking *u, struct tv_packed *r, uint64_t *more,
				   uint32_t *further)
{
	*r = (struct tv_packed){ 0 };
	return tv_unpack_take(u, sizeof *more, more) &&
	       tv_unpack_take(u, sizeof *further, further) &&
	       tv_unpack_take(u, sizeof r->what, &r->what) &&
	       (!tv_pack_is(TV_PACK_LONG, r->what) ||
		tv_unpack_take(u, sizeof r->second + sizeof r->third, &r->second));
}

static inline bool tv_unpack_record(struct tv_pack_table *table, struct tv_unpacking *u,
				    struct tv_packed *r)
{
	uint32_t token, code, further;
	struct tv_packed *known;
	uint64_t more;

	if (!tv_unpack_take(u, sizeof token, &token))
		return false;
	known = &table->record[token & ((1u << TV_PACK_BITS) - 1)];
	code = token >> TV_PACK_CODE & 3u;
	more = token >> TV_PACK_TIME;
	further = code == TV_PACK_NEXT;
	if (code == TV_PACK_WHOLE && !tv_unpack_whole(u, known, &more, &further))
		return false;
	if (code == TV_PACK_FAR && !tv_unpack_take(u, sizeof further, &further))
		return false;
	u->time += more;
	u->number += further;
	*r = *known;
	if (tv_pack_is(TV_PACK_NUMBERED, r->what) && r->what >> 32 == UINT32_MAX)
		r->what = (r->what & UINT32_MAX) | (uint64_t)u->number << 32;
	return tv_pack_knows(r->what);
}

/* Returns the bytes unpacked into `records`, which has room for `bytes`. */
static inline size_t tv_unpack(struct tv_pack_table *table, const void *packed, size_t n,
			       void *records, size_t bytes)
{
	struct tv_unpacking u = { .at = packed, .end = (const unsigned char *)packed + n };
	struct tv_packed r;
	size_t done = 0;

	memset(table, 0, sizeof *table);
	while (tv_unpack_record(table, &u, &r)) {
		const size_t size = tv_pack_is(TV_PACK_LONG, r.what) ? 32 : 16;
		if (bytes - done < size)
			break;
		memcpy((char *)records + done, &u.time, sizeof u.time);
		memcpy((char *)records + done + sizeof u.time, &r, size - sizeof u.time);
		done += size;
	}
	return done;
}
