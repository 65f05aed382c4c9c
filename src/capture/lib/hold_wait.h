/* hold_wait: what holds a call until it is certain which message, or which of several requests, is
 * first in virtual time: for hold.c and hold_several.c. */
#pragma once

#include "capture/lib/hold.h"

enum { TV_HOLD_LONG = 100000 }; /* microseconds until a message that is not told counts as lost */

struct tv_hold_wait {
	int64_t latency;
	int64_t noise, close; /* keys that differ by less count as equal; may be so */
	uint64_t there;       /* its first candidate was seen, 0: none yet */
	uint64_t alone;       /* MPI has what was not told: since then */
	bool waited;          /* for another rank, though it had a candidate; */
	bool collected;       /* for which ones (others.h), */
	uint32_t collections; /* so often */
};

void tv_hold_wait_begin(struct tv_hold_wait *wait);
/* Whether no rank can act before the key; else which of them can is noted, so that nothing else has
 * to be looked at before these cannot any more. */
bool tv_hold_wait_safe(struct tv_hold_wait *wait, int64_t key);
/* `there`: MPI has something that was not told. True: it will never be. */
bool tv_hold_wait_lost(struct tv_hold_wait *wait, bool there);
/* Counts it. */
void tv_hold_wait_end(const struct tv_hold_wait *wait);

/* Why receives on the communicator cannot be controlled; TV_UNCONTROLLEDS: they can. */
enum tv_uncontrolled tv_hold_obstacle(const struct tv_comm *comm, int tag);
