/* carry_ring: times that one rank writes for one other, found again by communicator and tag in the
 * order they were put.
 *
 * A ring is two pages of memory that both share; a reader is the receiving side's private state.
 * What it is done with is in the ring, too, so that other ranks see which messages are under way
 * (carry_under_way()).
 * Messages do not overtake each other within (communicator, tag), so the oldest matching entry is
 * the right one. Space is constant: if the writer is more than a ring ahead, the reader gives up
 * the entries it has not seen, and as many messages have an unknown time. No other entry is
 * mistaken for theirs as long as messages are taken in the order they came, and times are known
 * again when the reader has caught up. If not even the number of lost entries is known, no time is
 * until the messages taken equal those written.
 *
 * libc alone, no state: so it can be tested without MPI. One thread each side at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CARRY_PAGE = 8192,
	CARRY_ENTRIES = (CARRY_PAGE - 128) / 32,
	CARRY_ANY_TAG = -1,
	CARRY_OWED = 16
};
#define CARRY_UNKNOWN   UINT64_MAX /* a time that is not known */
#define CARRY_WITHDRAWN 1          /* time of an entry whose message was cancelled */

struct carry_entry {
	uint64_t time; /* ticks, above 1 */
	uint32_t comm;
	int32_t tag;       /* CARRY_ANY_TAG: belongs to every tag */
	int64_t intrusion; /* ticks: at that time (virtual_time.h), */
	uint32_t error;    /* and the bound of its error */
	uint32_t taken;    /* by the reader */
};
#define CARRY_ERROR_NO_BOUND UINT32_MAX
#define CARRY_ERROR_UNKNOWN  (UINT32_MAX - 1) /* the intrusion is not known */

struct carry_ring {
	uint64_t written, withdrawn;
	uint64_t sum; /* of carry_mark() of all but those withdrawn */
	uint64_t unused[5];
	/* The reader is done with all before; CARRY_UNKNOWN: it is out of step. In a line that the
	 * writer does not change. */
	uint64_t read, unused_either[7];
	struct carry_entry entry[CARRY_ENTRIES];
};
_Static_assert(sizeof(struct carry_ring) == CARRY_PAGE, "a ring is a page");

struct carry_reader {
	uint64_t read;                            /* all entries before it are done with */
	uint64_t taken;                           /* messages asked for */
	uint64_t skip;                            /* messages to come whose entries were given up */
	uint64_t done[(CARRY_ENTRIES + 63) / 64]; /* bit i: so is entry read + i */
	/* Where messages may be asked for before their entry is there (carry_take_later()). */
	struct carry_owed {
		uint32_t comm;
		int32_t tag;
		uint64_t n;
	} owed[CARRY_OWED];
	uint64_t owes;            /* sum of n */
	uint64_t sum;             /* of carry_mark() of the messages asked for */
	bool lost;                /* it is unknown which entry belongs to which message */
	bool gave_up;             /* in the latest search */
	struct carry_entry found; /* whose time was given last */
};

/* Its sums are equal if the same messages were put and taken, whatever the order. */
static inline uint64_t carry_mark(uint32_t comm, int32_t tag)
{
	const uint64_t x = ((uint64_t)comm << 32 | (uint32_t)tag) + 1;

	return (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
}

static inline void carry_put_entry(struct carry_ring *ring, struct carry_entry entry)
{
	const uint64_t at = ring->written;

	struct carry_entry *to = &ring->entry[at % CARRY_ENTRIES];

	/* One by one: what the caller has just made is not read again as a whole. */
	to->time = entry.time;
	to->comm = entry.comm;
	to->tag = entry.tag;
	to->intrusion = entry.intrusion;
	to->error = entry.error;
	to->taken = 0;
	__atomic_store_n(&ring->sum, ring->sum + carry_mark(entry.comm, entry.tag),
			 __ATOMIC_RELAXED);
	__atomic_store_n(&ring->written, at + 1, __ATOMIC_RELEASE);
}

static inline void carry_put(struct carry_ring *ring, uint32_t comm, int32_t tag, uint64_t time)
{
	carry_put_entry(ring, (struct carry_entry){ .time = time, .comm = comm, .tag = tag });
}

/* Marks the entry of a message that will never come, if it is still in the ring. */
static inline void carry_withdraw(struct carry_ring *ring, uint32_t comm, int32_t tag,
				  uint64_t time)
{
	for (uint64_t n = 1; n <= ring->written && n <= CARRY_ENTRIES; n++) {
		struct carry_entry *e = &ring->entry[(ring->written - n) % CARRY_ENTRIES];
		if (e->comm != comm || e->tag != tag || e->time != time)
			continue;
		__atomic_store_n(&e->time, CARRY_WITHDRAWN, __ATOMIC_RELAXED);
		__atomic_store_n(&ring->sum, ring->sum - carry_mark(comm, tag), __ATOMIC_RELAXED);
		__atomic_store_n(&ring->withdrawn, ring->withdrawn + 1, __ATOMIC_RELEASE);
		return;
	}
}

/* For the others to see, too. */
static inline void carry_done(struct carry_reader *r, struct carry_ring *ring, uint64_t i)
{
	r->done[i / 64] |= UINT64_C(1) << i % 64;
	__atomic_store_n(&ring->entry[(r->read + i) % CARRY_ENTRIES].taken, 1, __ATOMIC_RELEASE);
}

static inline void carry_tell_read(const struct carry_reader *r, struct carry_ring *ring)
{
	__atomic_store_n(&ring->read, r->lost || r->skip ? CARRY_UNKNOWN : r->read,
			 __ATOMIC_RELEASE);
}

static inline bool carry_is_done(const struct carry_reader *r, uint64_t i)
{
	return r->done[i / 64] >> i % 64 & 1;
}

static inline void carry_forget(struct carry_reader *r, uint64_t up_to)
{
	r->read = up_to;
	for (unsigned w = 0; w < sizeof r->done / sizeof *r->done; w++)
		r->done[w] = 0;
}

/* Moves the window on over an entry. */
static inline void carry_advance(struct carry_reader *r)
{
	enum { WORDS = sizeof r->done / sizeof *r->done };
	uint64_t any = 0;

	r->read++;
	for (unsigned w = 0; w < WORDS; w++)
		any |= r->done[w];
	for (unsigned w = 0; any && w < WORDS; w++)
		r->done[w] = r->done[w] >> 1 | (w + 1 < WORDS ? r->done[w + 1] << 63 : 0);
}

/* The writer is too far ahead: gives up what is not done. */
static inline void carry_give_up(struct carry_reader *r, struct carry_ring *ring, uint64_t written)
{
	uint64_t done = 0;

	r->gave_up = true;
	/* Some of them may be unused, or of messages that were taken before. */
	if (r->owes || __atomic_load_n(&ring->withdrawn, __ATOMIC_ACQUIRE))
		r->lost = true;
	for (uint64_t i = 0; i < CARRY_ENTRIES; i++)
		done += carry_is_done(r, i);
	r->skip += written - r->read - done;
	carry_forget(r, written);
}

static inline bool carry_belongs(const struct carry_entry *e, uint32_t comm, int32_t tag)
{
	return e->comm == comm && (e->tag == tag || e->tag == CARRY_ANY_TAG);
}

/* Takes the oldest entry that is not done, where that is the message's: it nearly always is. False:
 * it is not, or is not certain. Others learn of it by carry_tell_read() alone: its line remains the
 * writer's. */
static inline bool carry_take_first(struct carry_reader *r, const struct carry_ring *ring,
				    uint64_t written, uint32_t comm, int32_t tag)
{
	const struct carry_entry *e = &ring->entry[r->read % CARRY_ENTRIES];

	if (r->skip || r->owes || r->read >= written || (r->done[0] & 1) ||
	    !carry_belongs(e, comm, tag))
		return false;
	r->found = *e;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (r->found.time == CARRY_WITHDRAWN ||
	    __atomic_load_n(&ring->written, __ATOMIC_RELAXED) >= r->read + CARRY_ENTRIES)
		return false;
	carry_advance(r);
	return true;
}

static inline bool carry_settle(struct carry_reader *r, const struct carry_entry *e)
{
	for (struct carry_owed *owed = r->owed; owed < r->owed + CARRY_OWED; owed++)
		if (owed->n && owed->comm == e->comm &&
		    (owed->tag == e->tag || e->tag == CARRY_ANY_TAG)) {
			owed->n--;
			r->owes--;
			return true;
		}
	return false;
}

/* The time of the oldest entry that matches the message; 0: none, CARRY_UNKNOWN: overwritten
 * meanwhile. Entries of messages that were asked for before are marked done on the way. */
static inline uint64_t carry_search(struct carry_reader *r, struct carry_ring *ring,
				    uint64_t written, uint32_t comm, int32_t tag)
{
	for (uint64_t i = 0; r->read + i < written; i++) {
		const struct carry_entry e = ring->entry[(r->read + i) % CARRY_ENTRIES];
		const bool mine = carry_belongs(&e, comm, tag);
		const bool withdrawn = e.time == CARRY_WITHDRAWN;
		if (carry_is_done(r, i) || (!mine && !r->owes && !withdrawn))
			continue;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		/* The one that is being written takes the place of the oldest. */
		if (__atomic_load_n(&ring->written, __ATOMIC_RELAXED) >=
		    r->read + i + CARRY_ENTRIES)
			return CARRY_UNKNOWN;
		if (withdrawn || (r->owes && carry_settle(r, &e))) {
			carry_done(r, ring, i);
			continue;
		}
		if (!mine)
			continue;
		carry_done(r, ring, i);
		r->found = e;
		return e.time;
	}
	return 0;
}

/* The same was taken as was written: nothing is owed. */
static inline void carry_find_back(struct carry_reader *r, struct carry_ring *ring)
{
	const uint64_t written = __atomic_load_n(&ring->written, __ATOMIC_ACQUIRE);

	if (r->taken != written - __atomic_load_n(&ring->withdrawn, __ATOMIC_ACQUIRE) ||
	    r->sum != __atomic_load_n(&ring->sum, __ATOMIC_ACQUIRE) ||
	    written != __atomic_load_n(&ring->written, __ATOMIC_RELAXED))
		return;
	r->lost = false;
	r->skip = r->owes = 0;
	for (unsigned i = 0; i < CARRY_OWED; i++)
		r->owed[i].n = 0;
	carry_forget(r, written);
}

/* The same as carry_take(); CARRY_UNKNOWN too. */
static inline uint64_t carry_look(struct carry_reader *r, struct carry_ring *ring, uint32_t comm,
				  int32_t tag)
{
	const uint64_t written = __atomic_load_n(&ring->written, __ATOMIC_ACQUIRE);
	uint64_t time = 0;

	r->gave_up = false;
	if (r->lost)
		carry_find_back(r, ring);
	r->taken++;
	r->sum += carry_mark(comm, tag);
	if (r->lost) {
		carry_find_back(r, ring);
		carry_tell_read(r, ring);
		return CARRY_UNKNOWN;
	}
	if (written >= r->read + CARRY_ENTRIES)
		carry_give_up(r, ring, written);
	if (carry_take_first(r, ring, written, comm, tag))
		time = r->found.time;
	else if (!r->skip)
		time = carry_search(r, ring, written, comm, tag);
	if (time == CARRY_UNKNOWN)
		carry_give_up(r, ring, __atomic_load_n(&ring->written, __ATOMIC_ACQUIRE));
	if (r->skip && (time == 0 || time == CARRY_UNKNOWN))
		r->skip--;
	while (r->read < written && carry_is_done(r, 0))
		carry_advance(r);
	carry_tell_read(r, ring);
	return time;
}

/* The time of a message that was sent with `comm` and `tag`; 0 unknown. */
static inline uint64_t carry_take(struct carry_reader *r, struct carry_ring *ring, uint32_t comm,
				  int32_t tag)
{
	const uint64_t time = carry_look(r, ring, comm, tag);

	return time == CARRY_UNKNOWN ? 0 : time;
}

/* The entry that carry_take() would take now; time 0: unknown. */
static inline struct carry_entry
carry_peek(const struct carry_reader *r, const struct carry_ring *ring, uint32_t comm, int32_t tag)
{
	const uint64_t written = __atomic_load_n(&ring->written, __ATOMIC_ACQUIRE);
	const struct carry_entry unknown = { 0 };

	if (r->lost || r->skip || r->owes || written >= r->read + CARRY_ENTRIES)
		return unknown;
	for (uint64_t i = 0; r->read + i < written; i++) {
		const struct carry_entry e = ring->entry[(r->read + i) % CARRY_ENTRIES];
		if (carry_is_done(r, i) || e.time == CARRY_WITHDRAWN ||
		    !carry_belongs(&e, comm, tag))
			continue;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		return __atomic_load_n(&ring->written, __ATOMIC_RELAXED) >=
				       r->read + i + CARRY_ENTRIES
			       ? unknown
			       : e;
	}
	return unknown;
}

/* All that was put has been taken: what is left is unused. */
static inline void carry_in_step(struct carry_reader *r, struct carry_ring *ring)
{
	const uint64_t written = __atomic_load_n(&ring->written, __ATOMIC_ACQUIRE);
	const uint64_t all = written - __atomic_load_n(&ring->withdrawn, __ATOMIC_ACQUIRE);

	if (r->taken < all || r->owes || r->lost)
		return;
	if (r->taken == all && r->read == written && !r->skip)
		return;
	if (r->taken > all)
		r->sum = __atomic_load_n(&ring->sum, __ATOMIC_RELAXED);
	r->taken = all;
	r->skip = 0;
	carry_forget(r, written);
	carry_tell_read(r, ring);
}

/* The same for rings whose entries may come after they are asked for: 0 then, and the entry is
 * skipped when it comes. 0 also if the entry was given up in an earlier search; CARRY_UNKNOWN: its
 * time is unknown. */
static inline uint64_t carry_take_later(struct carry_reader *r, struct carry_ring *ring,
					uint32_t comm, int32_t tag)
{
	const uint64_t skipped = r->skip;
	const uint64_t time = carry_look(r, ring, comm, tag);
	struct carry_owed *place = NULL;

	if (time || r->gave_up)
		return time ? time : CARRY_UNKNOWN;
	if (r->skip < skipped)
		return 0;
	for (struct carry_owed *owed = r->owed; owed < r->owed + CARRY_OWED; owed++) {
		if (owed->n && owed->comm == comm && owed->tag == tag) {
			place = owed;
			break;
		}
		if (!owed->n && !place)
			place = owed;
	}
	if (!place) {
		r->lost = true;
		carry_tell_read(r, ring);
		return 0;
	}
	place->comm = comm;
	place->tag = tag;
	place->n++;
	r->owes++;
	return 0;
}

/* For any rank: the nth (from 0) of the messages under way that have the tag (CARRY_ANY_TAG: any),
 * and whose receiver has not taken them. 0 there is none; CARRY_UNKNOWN: that cannot be told. */
static inline uint64_t carry_under_way(const struct carry_ring *ring, uint32_t comm, int32_t tag,
				       unsigned nth, struct carry_entry *entry)
{
	const uint64_t written = __atomic_load_n(&ring->written, __ATOMIC_ACQUIRE);
	const uint64_t read = __atomic_load_n(&ring->read, __ATOMIC_ACQUIRE);

	if (read == CARRY_UNKNOWN || written >= read + CARRY_ENTRIES)
		return CARRY_UNKNOWN;
	for (uint64_t i = read; i < written; i++) {
		const struct carry_entry *e = &ring->entry[i % CARRY_ENTRIES];
		if (e->comm != comm || (tag != CARRY_ANY_TAG && e->tag != tag) ||
		    __atomic_load_n(&e->taken, __ATOMIC_RELAXED) ||
		    __atomic_load_n(&e->time, __ATOMIC_RELAXED) == CARRY_WITHDRAWN || nth-- > 0)
			continue;
		*entry = *e;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		return __atomic_load_n(&ring->written, __ATOMIC_RELAXED) >= i + CARRY_ENTRIES
			       ? CARRY_UNKNOWN
			       : entry->time;
	}
	return 0;
}
