/* hold_posted: receives that MPI has, and that are not complete: a later one cannot have their
 * messages. Peers are ranks of the communicator, -1 any; so are tags. */
#pragma once

#include "capture/lib/carry_ring.h"
#include "capture/lib/comm.h"

struct tv_hold_posted {
	const struct tv_comm *comm;
	uint32_t request;
	int peer, tag;
};

/* In the order in which they were posted; after NULL the first, and NULL after the last. */
const struct tv_hold_posted *tv_hold_posted_next(const struct tv_hold_posted *p);
const struct tv_hold_posted *tv_hold_posted_as(uint32_t request);

static inline bool tv_hold_tags_meet(int a, int b)
{
	return a < 0 || b < 0 || a == b;
}

/* Which message an earlier one from any source takes is not known. */
bool tv_hold_is_overlapped(const struct tv_comm *comm, int tag);

/* The nth message under way from a rank. */
struct tv_hold_taken {
	const struct tv_comm *comm;
	int peer;
	unsigned nth;
};

/* Of a receive: which message it can have, of one rank. */
struct tv_hold_fit {
	const struct tv_comm *comm;
	int peer, tag;
	const struct tv_hold_posted *of;   /* it is that one; NULL: it comes after all of them, */
	const struct tv_hold_taken *taken; /* and these have receives before it */
	int n;
	unsigned nth; /* of the message that was found */
};

/* The oldest one; as carry_under_way(). */
uint64_t tv_hold_message(struct tv_hold_fit *fit, struct carry_entry *e);
