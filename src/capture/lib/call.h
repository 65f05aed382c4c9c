/* call: what a thread knows of the call of MPI that is under way. MPI may call functions of the
 * program (operations, attribute functions, error handlers, generalized requests), and these may
 * call MPI: such an inner call is recorded inside the outer one, whose state is kept meanwhile in
 * tv_thread.outer. Thread: its own. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "capture/lib/statistic.h"

/* In tv_thread.nested: what the call under way is recorded as. */
enum tv_call_as {
	TV_CALL_RECORDED = 1,
	TV_CALL_PAUSED,
	TV_CALL_INNER,   /* recorded, inside another one */
	TV_CALL_COUNTED, /* recorded, with what was counted; maybe inside another one */
};

enum { TV_OUTERS_MAX = 8 }; /* deeper calls are only counted */

/* What a call of MPI adds to its row; wrappers fill it in between tv_begin() and tv_end(). */
struct tv_with {
	int32_t peer; /* -1 several, or all; TV_PEER_NONE */
	uint32_t comm;
	uint32_t flags; /* TV_STAT_SENT, TV_STAT_RECEIVED */
	uint64_t sent, received;
	/* When the partner was ready, in this rank's ticks; 0 unknown. It separates the waiting of
	 * the call from the transfer. */
	uint64_t partner_ready;
	uint64_t children;        /* ticks in what MPI called back, if that has rows of its own */
	bool untold;              /* unknown for one of several partners */
	bool detected;            /* `partner_ready` is when this rank saw it */
	struct tv_statistic *row; /* of the call, NULL: not looked up yet */
};

/* The fields of these names of struct tv_thread. */
struct tv_call_state {
	uint32_t nested, call;
	const void *frame;
	uint64_t now, place;
	struct tv_with with;
};

struct tv_thread;

struct tv_call_state tv_call_save(const struct tv_thread *t);
void tv_call_restore(struct tv_thread *t, const struct tv_call_state *state);

/* The thread is inside a call, and begins another one. Ends calls that longjmp() left. False: the
 * new one is not recorded; it is counted if the program made it, not MPI. */
bool tv_call_allows(struct tv_thread *t, uint32_t call, const void *site, const void *frame);

/* Adds time to what the innermost procedure, or the call around the one under way, spent in others.
 */
void tv_call_spent(struct tv_thread *t, uint64_t took);
