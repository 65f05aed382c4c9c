/* constructs: which constructs of OpenMP a thread is in whose inside is code of the program, the
 * innermost last, as tvrun finds them in its records (run/feed_teams.c). A call in such an inside
 * is of that region, not of the function that the compiler made of it.
 *
 * A construct belongs to the function that was open when it began: `depth` is that of the stack of
 * rows. */
#pragma once

#include <stdbool.h>

#include "capture/lib/statistic.h"

/* The code that calls functions which the compiler made of insides. Where such a function ends with
 * a jump, what it jumps to returns there. */
#define TV_CALLS_BODIES __attribute__((section("tv_bodies")))
extern const char __start_tv_bodies[], __stop_tv_bodies[];

enum { TV_CONSTRUCTS_MAX = 32 }; /* deeper ones are not known */

struct tv_inside {
	uint32_t construct; /* enum tv_construct, TV_OMP_PARALLEL */
	uint32_t depth;
	uint64_t at;   /* where the runtime was called; of a team its number */
	uint64_t body; /* the function that the compiler made of the inside; 0 unknown */
	uint64_t lock; /* of a critical section, where it was acquired */
};

struct tv_constructs {
	uint32_t n;
	struct tv_inside inside[TV_CONSTRUCTS_MAX];
};

/* NULL: it is in none. */
static inline struct tv_inside *tv_constructs_last(struct tv_constructs *c)
{
	return c->n && c->n <= TV_CONSTRUCTS_MAX ? &c->inside[c->n - 1] : NULL;
}

static inline bool tv_construct_has_inside(uint32_t construct)
{
	switch (construct) {
	case TV_OMP_LOOP:
	case TV_OMP_SECTIONS:
	case TV_OMP_SINGLE:
	case TV_OMP_CRITICAL:
	case TV_OMP_ORDERED:
	case TV_OMP_TASK:
	case TV_OMP_PARALLEL: return true;
	default: return false;
	}
}

static inline void tv_constructs_begin(struct tv_constructs *c, uint32_t construct, uint64_t at,
				       uint64_t body, uint32_t depth)
{
	if (!tv_construct_has_inside(construct))
		return;
	if (c->n < TV_CONSTRUCTS_MAX)
		c->inside[c->n] = (struct tv_inside){ construct, depth, at, body, 0 };
	c->n++;
}

/* The innermost one ends, if it is of that kind. */
static inline void tv_constructs_end(struct tv_constructs *c, uint32_t construct)
{
	const struct tv_inside *last = tv_constructs_last(c);

	if (c->n > TV_CONSTRUCTS_MAX ? tv_construct_has_inside(construct)
				     : last && last->construct == construct)
		c->n--;
}

static inline void tv_constructs_lock(struct tv_constructs *c, uint64_t lock)
{
	struct tv_inside *last = tv_constructs_last(c);

	if (last && last->construct == TV_OMP_CRITICAL && !last->lock)
		last->lock = lock;
}

static inline void tv_constructs_unlock(struct tv_constructs *c, uint64_t lock)
{
	const struct tv_inside *last = tv_constructs_last(c);

	if (last && last->construct == TV_OMP_CRITICAL && last->lock == lock)
		c->n--;
}

/* The team is over, and with it what is open inside. */
static inline void tv_constructs_leave(struct tv_constructs *c, uint64_t team)
{
	uint32_t i = c->n < TV_CONSTRUCTS_MAX ? c->n : TV_CONSTRUCTS_MAX;

	while (i-- > 0) {
		if (c->inside[i].construct == TV_OMP_PARALLEL && c->inside[i].at == team) {
			c->n = i;
			return;
		}
	}
}

/* The one in whose inside the innermost function is under way; NULL: none. */
static inline const struct tv_inside *tv_constructs_around(struct tv_constructs *c, uint32_t depth)
{
	const struct tv_inside *last = tv_constructs_last(c);

	return last && last->depth == depth ? last : NULL;
}
