/* deferred: nonblocking receives from any source whose sender is not certain when they are started:
 * they are given to MPI only when it is, or when they must be.
 *
 * Such a receive goes to MPI at the first of these:
 *
 *	a call that waits or asks for it, which is held, or says no, until it is certain which
 *	message is first in virtual time (hold_source.h);
 *	any other call that can wait: with the sender if that is certain then, else as it is;
 *	a receive or probe that could take its message.
 *
 * Receives of which one could take the other's message go to MPI in their order. A call that waits
 * for one leaves those after it deferred that take no other messages than it does; others go to MPI
 * as their messages become certain (hold_requests.h).
 *
 * The program has a generalized request meanwhile, and until the receive is complete: calls that
 * take requests are given MPI's own in its place (tv_deferred_give()), and it is put back after the
 * call. While there is such a request, tv.deferred is not NULL: it is called as each call begins,
 * and tv.answers is true.
 *
 * One thread at a time: in a program whose threads call MPI at once nothing is deferred, nor in a
 * replay. */
#pragma once

#include "capture/lib/mpi/answers.h"
#include "capture/lib/mpi/pmpi.h"

struct tv_comm;

/* The source of a receive from any that starts now, MPI_ANY_SOURCE: MPI is to choose. `later`: it
 * is to be deferred. */
int tv_deferred_source(struct tv_thread *t, const struct tv_comm *known, int tag, MPI_Comm comm,
		       bool *later);
/* One of a given source starts: those that could take its message, or it theirs, go first. */
void tv_deferred_precede(struct tv_thread *t, const struct tv_comm *known, int tag);

struct tv_deferral {
	void *buf;
	MPI_Count count; /* int, unless `large` */
	MPI_Datatype type;
	MPI_Comm comm;
	const struct tv_comm *known;
	int tag;
	bool large;
};

/* Instead of MPI_Irecv; then, when the request is known (inflight.h), the other. */
int tv_deferred_add(struct tv_thread *t, struct tv_deferral what, MPI_Request *request);
void tv_deferred_added(MPI_Request request);

/* A start of a persistent one, with its record; `call` as tv_request_start(). False: MPI is to
 * start it, and there is no record. */
bool tv_deferred_start(struct tv_thread *t, struct tv_deferral what, MPI_Request request,
		       uint32_t call);

/* A call that waits for these requests, or for one or some of them (kind), is about to go on into
 * MPI, or one that asks. Requests become MPI's own. Of the answers but TV_ANSWER_MPI, those of
 * MPI_Waitany and its like are the requests that are complete. */
struct tv_answer tv_deferred_await(struct tv_thread *t, enum tv_choice_kind kind, int count,
				   MPI_Request requests[]);
struct tv_answer tv_deferred_ask(struct tv_thread *t, enum tv_choice_kind kind, int count,
				 MPI_Request requests[]);
/* After that: one of the requests is not MPI's own. */
bool tv_deferred_is_asked(void);
/* A call that is not recorded. */
void tv_deferred_give(int count, MPI_Request requests[]);
/* It is over; those that are not complete are the program's again. */
void tv_deferred_back(int count, MPI_Request requests[]);
/* MPI_Waitall has completed some before the others: their statuses. Returns what the call does. */
int tv_deferred_statuses(int rc, int count, MPI_Status statuses[]);

/* MPI_Request_free: it goes to MPI; MPI_Cancel: as it is. */
void tv_deferred_go(struct tv_thread *t, MPI_Request request, bool cancelled);
