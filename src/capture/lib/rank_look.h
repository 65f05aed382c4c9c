/* rank_look: what the line of a rank (rank_line.h) and the messages under way to it say of when it
 * can send again: what virtual_order.h starts from.
 *
 * Where a line is not as exact as it should be (a call that waits, of which nothing is known; a
 * message that is under way, but not for the receive that waits), it does not change for long,
 * though the rank has a processor, or sleeps; such a rank then counts as one that waits for any
 * other. The time for which it is ready and has no processor does not count.
 *
 * Ranks are numbers; times are ticks. No state. */
#pragma once

#include "capture/lib/carry_map.h"
#include "capture/lib/virtual_order.h"

/* What is known of a rank, at the latest look. */
struct rank_look {
	struct rank_line line;
	uint64_t since, asked; /* it has been the same since; whether its process lives */
	uint64_t counted;      /* when its own time was, which is */
	uint64_t own;  /* ticks of these, asleep or with a processor: it could have gone on */
	uint64_t cpu;  /* nanoseconds of its process then; 0: not known */
	uint8_t state; /* of it then */
	bool stays, dead;
	bool tied; /* it stays for so long that, if it is held, it may wait for who waits for it */
	unsigned open; /* RANK_ALL: bits of `wanted` for which no message is under way */
};

/* How the one who looks sees all ranks; `of` is its own. */
struct rank_sight {
	const void *of;
	int n;
	struct rank_look *look; /* [n] */
	/* As tv_seen_under_way() and tv_seen_meeting(). */
	uint64_t (*under_way)(const void *of, bool posts, int from, int to, uint32_t comm, int tag,
			      unsigned nth, struct carry_entry *e);
	bool (*meeting)(const void *of, int number, uint64_t ticket, struct carry_meeting *meeting);
	int64_t latency; /* of a message, at least */
	bool strict;     /* a rank that stays where it is does not count as one that waits */
};

/* Number space of this process (rank_line.h). */
uint32_t rank_look_space(void);
/* Takes a copy of a line, as it was at `now`: what was told once had been the same for `same` then.
 * `space`: that of this process. */
void rank_look_at(struct rank_look *l, const struct rank_line *line, uint64_t now, uint64_t same,
		  uint32_t space);
/* The same without `sends`. */
struct order_rank rank_look_rate(const struct rank_sight *sight, int number, uint64_t now);
/* In a call that may wait: for that one. */
bool rank_look_waits(const struct rank_sight *sight, int number, int other);

/* It waits in MPI, or is held. */
static inline bool rank_look_is_in(const struct rank_look *l)
{
	return l->line.state >= RANK_RECEIVE && l->line.state < RANK_DONE;
}

/* When it can send by itself, or by a message that is under way to it; ORDER_NEVER: not before
 * another one has sent. */
static inline int64_t rank_look_bound(const struct order_rank *r)
{
	return r->state == ORDER_RUNS ? r->bound
	       : r->state == ORDER_FIRST && r->ready != ORDER_NEVER
		       ? order_later(r->bound, r->ready)
		       : ORDER_NEVER;
}

/* When a message arrives in virtual time. */
static inline int64_t rank_look_arrival(const struct carry_entry *e, int64_t latency)
{
	return (int64_t)e->time - e->intrusion + latency;
}
