/* carry_ring: times that one rank writes for one other, found again by communicator and tag in the order they were put.
 *
 * A ring is one page of memory that both share, a reader is what the other keeps to itself. Messages do not overtake each other within
 * (communicator, tag), so the oldest entry that belongs is the right one. Space is constant: where the writer is more than a
 * ring ahead, the reader gives up what it has not seen, and as many messages are of unknown time; no other is mistaken for
 * them as long as they are taken in the order they came, and all is in step again when the reader has caught up.
 *
 * libc alone, no state: so it can be tested without MPI. One thread each side at a time. */
#ifndef TVIEW_CAPTURE_CARRY_RING_H
#define TVIEW_CAPTURE_CARRY_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CARRY_PAGE = 4096,
	CARRY_ENTRIES = (CARRY_PAGE - 64) / 16,
	CARRY_ANY_TAG = -1,
	CARRY_OWED = 8
};

struct carry_entry {
	uint64_t time; /* ticks, above 1 */
	uint32_t comm;
	int32_t tag; /* CARRY_ANY_TAG: belongs to every tag */
};

struct carry_ring {
	uint64_t written;
	uint64_t unused[7];
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
	uint64_t owes; /* sum of n */
};

static inline void carry_put(struct carry_ring *ring, uint32_t comm, int32_t tag, uint64_t time)
{
	const uint64_t at = ring->written;

	ring->entry[at % CARRY_ENTRIES] = (struct carry_entry){ time, comm, tag };
	__atomic_store_n(&ring->written, at + 1, __ATOMIC_RELEASE);
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

/* Moves the window on over n entries, fewer than 64. */
static inline void carry_advance(struct carry_reader *r, unsigned n)
{
	enum { WORDS = sizeof r->done / sizeof *r->done };

	r->read += n;
	for (unsigned w = 0; n && w < WORDS; w++)
		r->done[w] = r->done[w] >> n | (w + 1 < WORDS ? r->done[w + 1] << (64 - n) : 0);
}

/* The writer is too far ahead: gives up what is not done. */
static inline void carry_give_up(struct carry_reader *r, uint64_t written)
{
	uint64_t done = 0;

	for (uint64_t i = 0; i < CARRY_ENTRIES; i++)
		done += carry_is_done(r, i);
	r->skip += written - r->read - done;
	carry_forget(r, written);
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

/* The oldest entry that belongs to the message; 0: none. Entries of messages that were asked for before are done with on the
 * way. */
static inline uint64_t carry_search(struct carry_reader *r, const struct carry_ring *ring,
				    uint64_t written, uint32_t comm, int32_t tag)
{
	for (uint64_t i = 0; r->read + i < written; i++) {
		const struct carry_entry e = ring->entry[(r->read + i) % CARRY_ENTRIES];
		const bool mine = e.comm == comm && (e.tag == tag || e.tag == CARRY_ANY_TAG);
		if (carry_is_done(r, i) || (!mine && !r->owes))
			continue;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		/* The one that is being written takes the place of the oldest. */
		if (__atomic_load_n(&ring->written, __ATOMIC_RELAXED) >=
		    r->read + i + CARRY_ENTRIES)
			return 0;
		if (r->owes && carry_settle(r, &e)) {
			r->done[i / 64] |= UINT64_C(1) << i % 64;
			continue;
		}
		if (!mine)
			continue;
		r->done[i / 64] |= UINT64_C(1) << i % 64;
		return e.time;
	}
	return 0;
}

/* The time of a message that was sent with `comm` and `tag`; 0 unknown. */
static inline uint64_t carry_take(struct carry_reader *r, const struct carry_ring *ring,
				  uint32_t comm, int32_t tag)
{
	const uint64_t written = __atomic_load_n(&ring->written, __ATOMIC_ACQUIRE);
	uint64_t time = 0;

	r->taken++;
	if (written >= r->read + CARRY_ENTRIES)
		carry_give_up(r, written);
	if (r->skip)
		r->skip--;
	else
		time = carry_search(r, ring, written, comm, tag);
	while (r->read < written && carry_is_done(r, 0))
		carry_advance(r, 1);
	return time;
}

/* All that was put has been asked for: what is left over belongs to nobody. */
static inline void carry_in_step(struct carry_reader *r, const struct carry_ring *ring)
{
	const uint64_t written = __atomic_load_n(&ring->written, __ATOMIC_ACQUIRE);

	if (r->taken < written)
		return;
	r->taken = written;
	r->skip = 0;
	carry_forget(r, written);
}

/* The same of rings whose entries may come after they are asked for; such a time is never known, and its entry is passed
 * over when it comes. */
static inline uint64_t carry_take_later(struct carry_reader *r, const struct carry_ring *ring,
					uint32_t comm, int32_t tag)
{
	const uint64_t skipped = r->skip;
	const uint64_t time = carry_take(r, ring, comm, tag);
	struct carry_owed *place = NULL;

	if (time || r->skip < skipped)
		return time;
	for (struct carry_owed *owed = r->owed; owed < r->owed + CARRY_OWED; owed++) {
		if (owed->n && owed->comm == comm && owed->tag == tag) {
			place = owed;
			break;
		}
		if (!owed->n && !place)
			place = owed;
	}
	if (!place)
		return 0;
	place->comm = comm;
	place->tag = tag;
	place->n++;
	r->owes++;
	return 0;
}

#endif
