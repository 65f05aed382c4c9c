/* hold: which sender a receive from any source must take, so that it takes the one that it takes
 * without the recorder (virtual_order.h). A receive is held until that is certain; only its source
 * is replaced then, so all that MPI promises of the order of messages remains true.
 *
 * What the other ranks can still send is known without a message (others.h), or from other nodes
 * with one question to each a receive (far.h).
 *
 * Not controlled: receives on communicators with ranks of other jobs, of processes that call MPI
 * from several threads, and others (enum tv_uncontrolled). All functions are called by the thread
 * that is in the call of MPI. */
#pragma once

#include "capture/lib/comm.h"

enum tv_hold {
	TV_HOLD_WAIT, /* look again */
	TV_HOLD_TAKE, /* receive from this source */
	TV_HOLD_FREE, /* it is not controlled: receive from any */
};

/* The receive begins; then tv_hold_look() as long as it says so, then tv_hold_end(). False: it is
 * not controlled, and counted. */
bool tv_hold_begin(struct tv_thread *t, const struct tv_comm *comm, int tag);
enum tv_hold tv_hold_look(struct tv_thread *t, const struct tv_comm *comm, int tag, int *source);
/* One look, by a call that does not wait. `key`: the virtual time of the one that is first. */
enum tv_hold tv_hold_look_once(struct tv_thread *t, const struct tv_comm *comm, int tag,
			       int *source, int64_t *key);
/* The same by a test, which is true of a message of rank `there`; it says no meanwhile. */
enum tv_hold tv_hold_look_polled(struct tv_thread *t, const struct tv_comm *comm, int tag,
				 int there, int *source);
/* The call is one that is not controlled. */
void tv_hold_cannot(enum tv_uncontrolled why);
/* MPI chose one or some of several receives, and that is not controlled. */
void tv_hold_among(void);
/* It is nonblocking, and what it takes is not certain yet. */
void tv_hold_started(void);
/* It was held among several requests (hold_several.h), and has its sender. */
void tv_hold_chosen(void);
/* It was a test, and said no: the receive is not begun. */
void tv_hold_denied(void);
/* A receive from any source, which MPI chose for, has the oldest message of that rank, which is
 * still under way as carry.h knows it: counts it if another one is earlier in virtual time. Where
 * that one may have been first, virtual times have no bound from there on. */
void tv_hold_compare(struct tv_thread *t, const struct tv_comm *comm, int tag, int source);
/* MPI has a message of rank `there` for it now, or has none (-1). True: it will never be told. */
bool tv_hold_lost(const struct tv_comm *comm, int there);
void tv_hold_end(void);

/* Receives that were posted, and are not complete: a later one cannot have their messages. */
void tv_hold_posted(const struct tv_comm *comm, int peer, int tag, uint32_t request);
void tv_hold_completed(uint32_t request);
