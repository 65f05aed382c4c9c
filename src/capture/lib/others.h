/* others: what the other ranks can still send, for a receive from any source (hold.h).
 *
 * A look reads their lines (own_line.h), then the rings of messages under way (ranks_seen.h); a
 * sweep (virtual_order.h) says what follows for a message that this rank could take.
 *
 * Where that rests on a rank that stays where it is (rank_look.h), tv_others_certain() is false.
 *
 * Times are ticks; one thread of the process. */
#pragma once

#include "capture/lib/carry.h"
#include "capture/lib/carry_ring.h"

/* How many ranks are known, with this one, which is the `me`th; 0: none is. */
int tv_others(int *me);

/* How it is now. For a receive on the communicator (NULL: for what any rank can do), to which a
 * message takes `latency` at the least. */
void tv_others_look(const struct tv_comm *comm, int64_t latency);

/* After that: none can still send what arrives before `key`, in virtual time; and that does not
 * rest on a rank's line that is not exact. */
bool tv_others_safe(int64_t key);
bool tv_others_certain(int64_t key);
/* It was not safe: notes which ranks of this node can send to it earlier, by themselves or by a
 * message that is under way to them: as long as one can it is not, whatever the others do.
 * False: lines and rings were not of one moment. Then, whether one of these still can: without a
 * look at the others, whose lines stay in their processors. */
bool tv_others_collect(int64_t key);
bool tv_others_behind(int64_t key);
/* After tv_others_collect(), where none of this node can: those nodes are to be asked (far.h) of
 * which a rank can send earlier, as far as is known. False: it is not time to ask. */
bool tv_others_far(int64_t key);
