/* hold_several: which of several requests is complete first in virtual time, for a call that waits
 * for one or some of them, or asks (MPI_Waitany and its like): as hold.h for one receive.
 *
 * Receives from any source are not in MPI yet, so that it can be said here which message each
 * takes: of those under way the earliest that fits and that none before it takes. A send that waits
 * is complete when its receiver has come, a collective when all have. When other requests are,
 * local work and files, only MPI knows: what was so when the call began counts as if it had always
 * been, else the time at which it was seen. */
#pragma once

#include "capture/lib/hold.h"
#include "capture/lib/virtual_time.h"

enum tv_hold_what {
	TV_HOLD_RECEIVE,  /* from a given rank, in MPI */
	TV_HOLD_ANY,      /* from any */
	TV_HOLD_SEND,     /* which waits for its receiver */
	TV_HOLD_TOGETHER, /* a collective */
	TV_HOLD_AT_ONCE,  /* complete from its start */
	TV_HOLD_OTHER,
};

enum { TV_HOLD_SEVERAL = 64 }; /* requests of a call */

struct tv_hold_item {
	enum tv_hold_what what;
	int at;      /* which request of the call; -1: a receive from any source, beside it */
	bool wanted; /* it is the call's, or goes to MPI meanwhile if its message is certain */
	bool local;  /* this rank itself completes it */
	bool there;  /* MPI has it complete, of TV_HOLD_ANY a message for it */
	const struct tv_comm *comm;
	int peer, tag;
	uint32_t id; /* its number, 0: none */
	uint64_t ticket;
	int root;
	enum virtual_rule rule;
	/* The answer. */
	bool done;   /* it is complete */
	int64_t key; /* when */
	int source;  /* TV_HOLD_ANY: from that one, `nth` of its messages */
	unsigned nth;
	bool seen; /* its time is when it was seen */
};

/* Receives from any source first, in the order of their starts. Then, as long as it says so:
 *
 *	whether each is `there`
 *	tv_hold_several_look(); TV_HOLD_TAKE: those that are complete are `done`
 *	whether each of these is `there`, by its source
 *	tv_hold_several_take()
 *
 * and tv_hold_several_end(). False: not controlled. */
bool tv_hold_several(struct tv_thread *t, const struct tv_hold_item *items, int n);
/* No earlier receive, which is not of the call, takes messages that fit these. */
bool tv_hold_several_are_alone(const struct tv_hold_item *items, int n);
/* `waits`: the call continues a wait for the first one. */
enum tv_hold tv_hold_several_look(struct tv_thread *t, struct tv_hold_item *items, int n,
				  bool waits);
/* TV_HOLD_WAIT: MPI does not yet have all of them. Receives that are in MPI it need not have,
 * unless the call `asks`. */
enum tv_hold tv_hold_several_take(struct tv_thread *t, struct tv_hold_item *items, int n,
				  bool asks);
/* MPI has something of which is not known who sent it, and that will not be known; a call that asks
 * does not wait for that. */
bool tv_hold_several_lost(const struct tv_hold_item *items, int n, bool asks);
void tv_hold_several_end(void);
