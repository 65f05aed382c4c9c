/* others: what the other ranks can still send, for a receive from any source (hold.h).
 *
 * A look reads their lines (own_line.h), then the rings of messages under way (ranks_seen.h); a
 * sweep (virtual_order.h) says what follows for a message that this rank could take.
 *
 * Where a rank's line is not as exact as it should be (a call that waits, of which nothing is
 * known; a message that is under way, but not for the receive that waits), it does not change for
 * long; such a rank then counts as one that waits for any other. That may cost the order, but the
 * program goes on; tv_others_certain() is false then.
 *
 * Times are ticks; one thread of the process. */
#pragma once

#include "capture/lib/carry.h"
#include "capture/lib/carry_ring.h"

/* How many ranks are known, with this one, which is the `me`th; 0: none is. */
int tv_others(int *me);

/* How it is now. For a receive on the communicator, to which a message takes `latency` at the
 * least. */
void tv_others_look(const struct tv_comm *comm, int64_t latency);

/* After that: none can still send what arrives before `key`, in virtual time; and that does not
 * rest on a rank's line that is not exact. */
bool tv_others_safe(int64_t key);
bool tv_others_certain(int64_t key);
/* It was not safe: notes which ranks of this node can send earlier, as far as each tells of itself.
 * False: lines and rings were not of one moment. Then, whether one of these still can: without a
 * look at the others, whose lines stay in their processors. */
bool tv_others_collect(int64_t key);
bool tv_others_behind(int64_t key);
/* It was not safe, and what is known of other nodes may be too old for it. */
bool tv_others_ask(void);

/* When a message arrives in virtual time. */
static inline int64_t tv_others_arrival(const struct carry_entry *e, int64_t latency)
{
	return (int64_t)e->time - e->intrusion + latency;
}
