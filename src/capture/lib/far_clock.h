/* far_clock: by how much another node's clock is ahead of this one's. An exchange bounds it: the
 * question cannot have come before it was sent, nor the answer before it left. The bounds of all
 * exchanges hold, but grow by what clocks drift. libc alone, no state; times are ticks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { FAR_DRIFT = 20000 }; /* ticks in which clocks may differ by one more: 50 us a second */

struct far_clock {
	int64_t low, high; /* the difference is between them */
	uint64_t at;       /* this node's time then */
	bool known;
};

static inline int64_t far_clock_ahead(const struct far_clock *c)
{
	return c->low + (c->high - c->low) / 2;
}

static inline int64_t far_clock_drift(const struct far_clock *c, uint64_t now)
{
	return (int64_t)((now - c->at) / FAR_DRIFT) + 1;
}

/* How wrong that may be. */
static inline int64_t far_clock_error(const struct far_clock *c, uint64_t now)
{
	return (c->high - c->low + 1) / 2 + far_clock_drift(c, now);
}

/* A question left and its answer came at these times of this node's clock; of the other node's, it
 * came and the answer left at the others. */
static inline void far_clock_learn(struct far_clock *c, uint64_t left, uint64_t asked,
				   uint64_t answered, uint64_t came)
{
	const int64_t low = (int64_t)(answered - came), high = (int64_t)(asked - left);

	if (c->known) {
		const int64_t drift = far_clock_drift(c, came);
		c->low = low > c->low - drift ? low : c->low - drift;
		c->high = high < c->high + drift ? high : c->high + drift;
	}
	/* The first, or a clock that was set, or drifts more. */
	if (!c->known || c->low > c->high) {
		c->low = low;
		c->high = high;
	}
	c->at = came;
	c->known = true;
}
