/* calling: says which call of MPI a thread is in where no events are kept (statistic.h); events say
 * it themselves. */
#pragma once

#include "capture/lib/comm.h"

static inline struct tv_calling *tv_calling_change(struct tv_thread *t)
{
	struct tv_calling *c = &t->rows.told->calling;

	/* Odd, as of a row that is changed. */
	__atomic_store_n(&c->seq, (c->seq + 1) | 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	return c;
}

static inline void tv_calling_told(struct tv_calling *c)
{
	__atomic_store_n(&c->seq, c->seq + 1, __ATOMIC_RELEASE);
}

/* Notes what the call under way sends, or waits for. */
static inline void tv_calling_message(struct tv_thread *t, enum tv_calling_kind kind, int peer,
				      int tag, uint32_t comm, uint32_t flags)
{
	struct tv_calling *c;

	if (TV_LIKELY(!tv.statistics) || t->nested != TV_CALL_RECORDED)
		return;
	c = tv_calling_change(t);
	c->kind = (uint8_t)kind;
	c->flags = (uint8_t)flags;
	c->peer = peer;
	c->tag = tag;
	c->comm = comm;
	c->nth = 0;
	tv_calling_told(c);
}

/* Notes a send: of a call that waits for a message, beside that. */
static inline void tv_calling_send(struct tv_thread *t, int dest, int tag, uint32_t comm,
				   uint32_t mode)
{
	const struct tv_calling *now = &t->rows.told->calling;
	struct tv_calling *c;

	if (TV_LIKELY(!tv.statistics) || t->nested != TV_CALL_RECORDED)
		return;
	if (now->kind != TV_CALLING_RECEIVE || (now->peer < 0 && !(now->flags & TV_ANY_SOURCE))) {
		tv_calling_message(t, TV_CALLING_SEND, dest, tag, comm, mode);
		return;
	}
	c = tv_calling_change(t);
	c->nth = 1 + (uint32_t)dest;
	c->sent = (uint32_t)tag;
	tv_calling_told(c);
}

/* A collective is called on the communicator, now or by a request. */
static inline uint32_t tv_calling_count(struct tv_comm *comm)
{
	return TV_LIKELY(!tv.statistics) ? 0
					 : __atomic_fetch_add(&comm->called, 1, __ATOMIC_RELAXED);
}

/* MPI refused the call. */
static inline void tv_calling_uncount(struct tv_comm *comm)
{
	if (TV_UNLIKELY(tv.statistics))
		__atomic_fetch_sub(&comm->called, 1, __ATOMIC_RELAXED);
}

static inline void tv_calling_collective(struct tv_thread *t, struct tv_comm *comm, int root,
					 uint64_t sent, uint64_t received)
{
	const uint32_t nth = tv_calling_count(comm);
	struct tv_calling *c;

	if (TV_LIKELY(!tv.statistics) || t->nested != TV_CALL_RECORDED)
		return;
	c = tv_calling_change(t);
	c->kind = TV_CALLING_COLLECTIVE;
	c->peer = root;
	c->comm = comm->id;
	c->nth = nth;
	c->sent = sent;
	c->received = received;
	tv_calling_told(c);
}
