/* own_line: what this rank tells the others of its node about itself (rank_line.h), for their
 * receives from any source (hold.h). It is told from MPI_Init on where virtual time is kept and
 * the order of such receives is controlled: tv.line is not NULL then.
 *
 * All but tv_line_done() is called by threads inside the library. */
#pragma once

#include "capture/lib/comm.h"
#include "capture/lib/rank_line.h"

/* The ranks of the node have met. */
void tv_line_start(void);

/* A call of MPI begins, before its clock is read: tv_line_calls() (recorder.h), or where this is
 * true, rank_line_calls() alone. */
static inline bool tv_line_is_own(const struct tv_thread *t)
{
	return tv.liner == t && tv.line->state < RANK_DONE;
}

/* Work of the library outside of calls begins, which tv_line_runs() ends. */
void tv_line_pauses(void);
/* Outside of MPI, at virtual time `moved`. `polls`: a loop of tests is open. */
void tv_line_runs(const struct tv_thread *t, int64_t intrusion, int64_t moved, bool polls);
/* It sends no more. May be called by a signal handler. */
void tv_line_done(void);

/* Whether the call under way, right before it goes on into MPI, should say for what it waits. */
static inline bool tv_line_tells(const struct tv_thread *t)
{
	return tv.line && !t->outers && t->nested != TV_CALL_PAUSED && tv.line->state < RANK_DONE;
}
/* For a message: `peer` is a rank of the communicator, or TV_PEER_ANYBODY. */
void tv_line_receives(const struct tv_thread *t, const struct tv_comm *comm, int peer, int tag);
/* For one of any rank, held by the library. Of the `n` ranks `taken`, maybe several times one,
 * other receives take the oldest message; RANK_TAKEN at most. */
void tv_line_holds(const struct tv_thread *t, const struct tv_comm *comm, int tag, const int *taken,
		   unsigned n);
/* For the receiver of its message, or it sends at once. */
void tv_line_sends(const struct tv_thread *t, const struct tv_comm *comm, int peer, int tag,
		   bool waits);
/* For the other members of a collective (carry.h). */
void tv_line_meets(const struct tv_thread *t, const struct tv_comm *comm, uint64_t ticket,
		   uint32_t call, int root);
/* For several requests: all of them, or one. Those that do not wait are left out; `many`: of some
 * it cannot be said for whom they wait. */
struct tv_line_wait {
	uint32_t n, comms, comm[RANK_COMMS];
	bool many, held;           /* held: by the library */
	const struct tv_comm *any; /* of the first one, a receive from any source */
	struct rank_wanted wanted[RANK_WANTED];
};
void tv_line_add(struct tv_line_wait *wait, const struct tv_comm *comm, int peer, int tag,
		 bool send);
/* One that is held, from any source; so one that waits for all must not have it. */
void tv_line_add_any(struct tv_line_wait *wait, const struct tv_comm *comm, int tag);
void tv_line_waits(const struct tv_thread *t, const struct tv_line_wait *wait, bool all);

/* The call is over, and what it waited for will be taken. */
static inline void tv_line_returns(const struct tv_thread *t)
{
	if (TV_UNLIKELY(tv.line) && tv_line_tells(t))
		rank_line_calls(tv.line);
}

/* The ranks of the node that can send on a communicator. */
void tv_line_members(const struct tv_comm *comm, uint64_t members[RANK_MEMBERS / 64]);
