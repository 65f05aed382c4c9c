/* carry: times of communication partners, known while the program runs (Li and Zhang, section 4:
 * the fore-monitor): when the sender of a message entered its call, when its receiver was ready,
 * when the last rank of a collective came.
 *
 * Statistics keep no events, so nothing could be matched afterwards. The times travel beside the
 * messages: ranks of one node share a mapping in the folder of the buffers, with a ring for each
 * ordered pair of ranks. A sender puts (communicator, tag, time) into its ring before the message
 * leaves; the receiver of a message takes the oldest entry of its communicator and tag, which is
 * its own because messages do not overtake each other. Receivers put the time at which they were
 * ready into rings the other way. Members of a collective meet in a slot that keeps the time of the
 * latest member and of the root. No message is sent, no lock taken, no system call made on the way,
 * and space is constant: an entry that was overwritten before it was asked for makes that one time
 * unknown, and no other time wrong. Ranks of other nodes, which have another clock, are left out,
 * but where the order of receives is controlled: far.h asks for what they put.
 * On demand (tv.fore_monitor) calls that wait for such ranks are held, as the paper's fore-monitor
 * does, until this rank sees that the partner is ready: a blocking receive until its message is
 * there, a collective that waits for all until all are in a barrier before it.
 *
 * All functions are called by threads that are inside a call of MPI; peers are ranks in the
 * communicator. Times are ticks, 0 is unknown. */
#pragma once

#include "capture/lib/carry_map.h"
#include "capture/lib/comm.h"
#include "capture/lib/far.h"
#include "capture/lib/own_line.h"
#include "capture/lib/virtual.h"

/* Sets up, in this order: the ranks that have numbers (`ranks` of the world's `world`, this one is
 * the `me`th; `here`: those of this node) are made known; the first of the node makes the mapping,
 * and its name goes to its others, who join it; when all have, tv_carry_hide() removes the name.
 * False: no times are carried. */
enum { TV_CARRY_PATH = 4096 }; /* bytes of a name */
bool tv_carry_wanted(void);
bool tv_carry_meet(int me, int size, const int *ranks, const bool *here, int world);
const char *tv_carry_make(void);
void tv_carry_join(const char *path);
void tv_carry_hide(void);
/* Whether a rank of the world is on this node and has joined the mapping; the same of a rank of
 * the communicator, -1: of all its ranks. */
bool tv_carry_reaches(int world);
bool tv_carry_reaches_peer(const struct tv_comm *comm, int peer);
/* Whether a collective operation waits for all ranks; and on whom the end of one depends, those of
 * tv_carry_latest(). */
bool tv_carry_all(uint32_t call);
enum virtual_rule tv_carry_rule(uint32_t call);

/* At `time` a message of this rank leaves, or a receive is posted. A receive from any source is
 * told twice: tv_carry_post_any() when it is posted, tv_carry_post() when it is complete, with its
 * actual source and what was told when it was posted. */
void tv_carry_send(const struct tv_comm *comm, int peer, int tag, struct virtual_entry e);
void tv_carry_post(const struct tv_comm *comm, int peer, int tag, struct virtual_entry e);
void tv_carry_post_any(struct virtual_entry e);
/* That of this rank's receive from any source which was posted at `time`. */
struct virtual_entry tv_carry_posted(uint64_t time);
/* It was cancelled. */
void tv_carry_withdraw(const struct tv_comm *comm, bool receive, int peer, int tag, uint64_t time);
/* MPI_Request_free: no call will complete the request. */
void tv_carry_forgo(const struct tv_comm *comm, bool receive, int peer, int tag);

/* A message was received: returns when its sender entered the call that sent it. */
struct virtual_entry tv_carry_sender(const struct tv_comm *comm, int peer, int tag);
/* A message was sent by a call that was entered at `since`: returns when its receiver was ready;
 * TV_CARRY_LATER if it was not ready yet, or long before, so that this send did not wait. 0 also if
 * the receiver came during the call and receives from any source. */
#define TV_CARRY_LATER 1
struct virtual_entry tv_carry_receiver(const struct tv_comm *comm, int peer, int tag,
				       uint64_t since);
/* The latest receive from any source of a rank. */
struct virtual_entry tv_carry_posted_any(const struct tv_comm *comm, int peer);

/* A collective is entered by this rank, which has the number `turn` on the communicator: the same
 * on all ranks (tv_comm.turns, or tv_carry_turn()). At its end, tv_carry_latest() returns when the
 * last of the ranks came that this rank had to wait for. 0 also for operations that wait for some
 * ranks only (MPI_Scan, those among neighbours). */
uint64_t tv_carry_enter(const struct tv_comm *comm, uint64_t turn, int root,
			struct virtual_entry e); /* a ticket */
struct virtual_entry tv_carry_latest(const struct tv_comm *comm, uint64_t ticket,
				     enum virtual_rule rule, int root, struct virtual_entry own);
/* The entry of one rank of the communicator; time 0: unknown, or not there yet. */
struct virtual_entry tv_carry_member(const struct tv_comm *comm, uint64_t ticket, int rank);

/* The n-th start of a persistent collective or operation on a window: their order among
 * other collectives of the communicator may differ from rank to rank. `which` of them on the
 * communicator. */
enum tv_carry_kind { TV_CARRY_PERSISTENT = 1, TV_CARRY_WINDOW };
static inline uint64_t tv_carry_turn(enum tv_carry_kind kind, uint32_t which, uint32_t nth)
{
	return (uint64_t)kind << 62 | (uint64_t)(which & 0x3fffffffu) << 32 | nth;
}

/* Epochs of one-sided communication: a target has posted, an origin has completed. Of the `nth`
 * window of the communicator, to and from a rank of the world; as with messages the oldest is
 * taken. */
enum tv_carry_epoch { TV_CARRY_POST, TV_CARRY_COMPLETE };
void tv_carry_signal(const struct tv_comm *comm, uint32_t nth, int world, enum tv_carry_epoch what,
		     struct virtual_entry e);
struct virtual_entry tv_carry_signalled(const struct tv_comm *comm, uint32_t nth, int world,
					enum tv_carry_epoch what);

/* The sender's entry of the message that a probe has found, which stays. */
struct virtual_entry tv_carry_probed(const struct tv_comm *comm, int peer, int tag);

/* ---- for hold.c: ranks are numbers ---- */

/* Of a communicator's rank, -1 where nothing is known of it; the same if it is on this node. How
 * many numbers there are (0: none), and which is this rank's. */
int tv_carry_number(const struct tv_comm *comm, int peer);
int tv_carry_number_here(const struct tv_comm *comm, int peer);
int tv_carry_ranks(int *me);
/* The memory that the node shares; and in it the copy of the ring of a rank of another node to this
 * one (NULL: no room). */
const struct carry_map *tv_carry_map(void);
struct carry_ring *tv_carry_copy(int from);

/* ---- for wrappers; they do nothing if events alone are kept, which are matched afterwards ---- */

/* What the call under way tells its partners. */
static inline struct virtual_entry tv_call_entry(struct tv_thread *t)
{
	if (tv.virtual_time)
		return tv_virtual_enter(t);
	return (struct virtual_entry){ .time = (int64_t)t->now };
}

/* The partner of the call under way was ready at `time`. Of several the last counts, if all are
 * known. */
static inline void tv_learn(struct tv_thread *t, uint64_t time)
{
	if (time == 0)
		t->with.untold = true;
	else if (time > t->with.partner_ready)
		t->with.partner_ready = time;
}

/* A message is about to leave. */
static inline void tv_tell_send(struct tv_thread *t, const struct tv_comm *comm, int peer, int tag)
{
	if (TV_UNLIKELY(tv.carries) && peer >= 0)
		tv_carry_send(comm, peer, tag, tv_call_entry(t));
}

/* A receive is posted by the call under way; one from any source is told to its sender only when
 * that is known. */
static inline void tv_tell_post(struct tv_thread *t, const struct tv_comm *comm, int peer, int tag)
{
	if (!TV_UNLIKELY(tv.carries))
		return;
	if (peer >= 0)
		tv_carry_post(comm, peer, tag, tv_call_entry(t));
	else if (peer == TV_PEER_ANYBODY)
		tv_carry_post_any(tv_call_entry(t));
}

/* One from any source, posted at `time`, is complete. */
static inline void tv_tell_posted(const struct tv_comm *comm, int peer, int tag, uint64_t time)
{
	if (TV_UNLIKELY(tv.carries) && peer >= 0)
		tv_carry_post(comm, peer, tag, tv_carry_posted(time));
}

/* A send by `mode` is over. */
static inline void tv_learn_receiver(struct tv_thread *t, const struct tv_comm *comm, int peer,
				     int tag, uint64_t bytes, uint32_t mode)
{
	struct virtual_entry e;

	if (!TV_UNLIKELY(tv.carries) || peer < 0)
		return;
	tv_line_returns(t);
	e = tv_carry_receiver(comm, peer, tag, t->now);
	tv_learn(t, (uint64_t)e.time);
	/* It came meanwhile, and receives from any source: the latest such receive is likely this
	 * one's. */
	if (!TV_UNLIKELY(tv.virtual_time))
		return;
	if (!e.time)
		e = tv_carry_posted_any(comm, peer);
	tv_virtual_receiver(t, &e, bytes, mode);
}

/* A rank of another node is asked for its messages to this one, unless the call's is known. */
static inline void tv_learn_far(const struct tv_comm *comm, int peer, int tag)
{
	if (TV_UNLIKELY(tv.line) && !comm->near && peer >= 0 && tv_far_is_used() &&
	    !tv_carry_probed(comm, peer, tag).time)
		tv_far_fetch(tv_carry_number(comm, peer), &tv.file->order.fetches);
}

/* A probe has found a message. */
static inline void tv_learn_probed(struct tv_thread *t, const struct tv_comm *comm, int peer,
				   int tag)
{
	if (!TV_UNLIKELY(tv.virtual_time))
		return;
	tv_virtual_completed(t);
	tv_learn_far(comm, peer, tag);
	if (peer >= 0)
		tv_virtual_awaited(t, tv_carry_probed(comm, peer, tag));
}

/* This rank sees that the partner of the call under way is ready. */
static inline void tv_detect(struct tv_thread *t)
{
	t->with.detected = true;
	tv_learn(t, tv_now());
}

/* A message was received. */
static inline void tv_learn_sender(struct tv_thread *t, const struct tv_comm *comm, int peer,
				   int tag, uint64_t bytes)
{
	struct virtual_entry e;

	if (!TV_UNLIKELY(tv.carries) || peer < 0 || t->with.detected)
		return;
	tv_line_returns(t);
	tv_learn_far(comm, peer, tag);
	e = tv_carry_sender(comm, peer, tag);
	tv_learn(t, (uint64_t)e.time);
	if (tv.virtual_time)
		tv_virtual_sender(t, &e, bytes);
}
