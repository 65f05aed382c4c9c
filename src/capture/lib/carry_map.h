/* carry_map: layout of the memory that the ranks of a node share (carry.h): slots of collectives,
 * receives from any source, lines of ranks, which rings were used, places by rank, rings.
 *
 * Ranks have numbers. Where they are told of ranks of other nodes, too (far.h), all ranks of the
 * world have one, the same on all nodes; then a ring from a rank of this node to one of another is
 * the writer's half, and one from there a copy that its reader fills.
 *
 * libc alone, no state. */
#pragma once

#include "capture/lib/carry_places.h"
#include "capture/lib/carry_ring.h"
#include "capture/lib/rank_line.h"

enum { TV_CARRY_RANKS = 512 }; /* of a mapping */

enum {
	CARRY_SLOTS = 1024,
	CARRY_SLOTS_PAGES = CARRY_SLOTS * 64 / CARRY_PAGE,
	CARRY_ANY_PAGES = TV_CARRY_RANKS * 32 / CARRY_PAGE,
	CARRY_LINES_AT = CARRY_SLOTS_PAGES + CARRY_ANY_PAGES,
	CARRY_LINES_PAGES = TV_CARRY_RANKS * 128 / CARRY_PAGE,
	CARRY_TALKS_AT = CARRY_LINES_AT + CARRY_LINES_PAGES,
	CARRY_TALKS =
		TV_CARRY_RANKS / 8, /* bytes of a rank: a bit for each that it has a ring for */
	CARRY_TALKS_PAGES = 2 * TV_CARRY_RANKS * CARRY_TALKS / CARRY_PAGE,
	CARRY_FIRST_PAGES = CARRY_TALKS_AT + CARRY_TALKS_PAGES, /* each of CARRY_PAGE bytes */
};

_Static_assert(sizeof(struct carry_places) == CARRY_PAGE, "a rank's places are a page");

/* A value that only grows. */
struct carry_most {
	uint64_t value;
};

/* Where the members of a collective meet. */
struct carry_slot {
	uint64_t key; /* hash of communicator and sequence number; 0: free; CLAIMED: in setup */
	struct carry_most latest, moved; /* time, and virtual time */
	uint64_t root, root_intrusion, root_error;
	struct carry_most error;
	uint64_t here; /* a bit for each of the first 64 numbers that came */
};
_Static_assert(sizeof(struct carry_slot) == 64, "a slot is a cache line");

/* The latest receive from any source that a rank has posted; `time` is written last. */
struct carry_posted {
	struct carry_most time;
	uint64_t intrusion, error, unused;
};

enum carry_direction { CARRY_SENDS, CARRY_POSTS, CARRY_DIRECTIONS };

struct carry_map {
	char *at;         /* NULL: there is none */
	int size, me;     /* numbers, and this rank's */
	const bool *here; /* [size] the rank is on this node */
};

static inline size_t carry_map_bytes(int size)
{
	const size_t n = (size_t)size;

	return (CARRY_FIRST_PAGES + n + CARRY_DIRECTIONS * n * n) * CARRY_PAGE;
}

static inline struct carry_slot *carry_slot_of(const struct carry_map *map, uint64_t ticket)
{
	return &((struct carry_slot *)(void *)map->at)[ticket % CARRY_SLOTS];
}

static inline struct carry_posted *carry_any_of(const struct carry_map *map, int number)
{
	return (struct carry_posted *)(void *)(map->at + CARRY_SLOTS_PAGES * CARRY_PAGE) + number;
}

static inline struct rank_line *carry_line_of(const struct carry_map *map, int number)
{
	return (struct rank_line *)(void *)(map->at + (size_t)CARRY_LINES_AT * CARRY_PAGE) + number;
}

/* Bits: the ring to that number has something. */
static inline uint8_t *carry_talks_of(const struct carry_map *map, enum carry_direction direction,
				      int from)
{
	return (uint8_t *)map->at + (size_t)CARRY_TALKS_AT * CARRY_PAGE +
	       ((size_t)direction * TV_CARRY_RANKS + (size_t)from) * CARRY_TALKS;
}

static inline void carry_note_talk(const struct carry_map *map, enum carry_direction direction,
				   int from, int to)
{
	uint8_t *talks = &carry_talks_of(map, direction, from)[to / 8];

	if (!(__atomic_load_n(talks, __ATOMIC_RELAXED) >> to % 8 & 1))
		__atomic_fetch_or(talks, (uint8_t)(1u << to % 8), __ATOMIC_RELEASE);
}

static inline bool carry_has_talked(const struct carry_map *map, enum carry_direction direction,
				    int from, int to)
{
	const uint8_t *talks = &carry_talks_of(map, direction, from)[to / 8];

	return __atomic_load_n(talks, __ATOMIC_ACQUIRE) >> to % 8 & 1;
}

/* Of a collective: who came of the first 64 numbers, the latest virtual time of all that came, and
 * the root's (0: it did not come). */
struct carry_meeting {
	uint64_t here;
	int64_t moved, root;
};

/* False: it is over. */
static inline bool carry_meeting_of(const struct carry_map *map, uint64_t ticket,
				    struct carry_meeting *meeting)
{
	const struct carry_slot *slot = carry_slot_of(map, ticket);

	if (__atomic_load_n(&slot->key, __ATOMIC_ACQUIRE) != ticket)
		return false;
	meeting->here = __atomic_load_n(&slot->here, __ATOMIC_ACQUIRE);
	meeting->moved = (int64_t)__atomic_load_n(&slot->moved.value, __ATOMIC_RELAXED);
	meeting->root = (int64_t)__atomic_load_n(&slot->root, __ATOMIC_ACQUIRE);
	if (meeting->root)
		meeting->root -= (int64_t)__atomic_load_n(&slot->root_intrusion, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&slot->key, __ATOMIC_RELAXED) == ticket;
}

/* The first number from `to` on for which there is a ring; `size`: none. */
static inline int carry_next_talk(const struct carry_map *map, enum carry_direction direction,
				  int from, int to)
{
	const uint8_t *talks = carry_talks_of(map, direction, from);

	while (to < map->size) {
		const uint8_t byte = __atomic_load_n(&talks[to / 8], __ATOMIC_ACQUIRE);
		if (byte >> to % 8 & 1)
			return to;
		to = byte >> to % 8 ? to + 1 : (to / 8 + 1) * 8;
	}
	return map->size;
}

static inline struct carry_places *carry_places_of(const struct carry_map *map, int number)
{
	return (struct carry_places *)(void *)(map->at +
					       (CARRY_FIRST_PAGES + (size_t)number) * CARRY_PAGE);
}

/* The ring that `from` writes for `to`. */
static inline struct carry_ring *carry_ring_at(const struct carry_map *map,
					       enum carry_direction direction, int from, int to)
{
	const size_t n = (size_t)map->size;
	const size_t pair = ((size_t)direction * n + (size_t)from) * n + (size_t)to;

	return (struct carry_ring *)(void *)(map->at + (CARRY_FIRST_PAGES + n + pair) * CARRY_PAGE);
}
