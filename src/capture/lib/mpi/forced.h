/* forced: requests of which a replay demands that they are complete, and nonblocking receives from
 * any source that ask for the source that it demands (choices.h). Where no message of that one can
 * come any more, the rank departs, and the receive is given to any source: it is cancelled, and
 * started again. A receive that was started after it and takes messages of the same tag is then
 * before it; MPI has no means against that. */
#pragma once

#include "capture/lib/comm.h"
#include "capture/lib/mpi/pmpi.h"
#include "capture/lib/order_record.h"

struct tv_forced {
	MPI_Request request;
	void *buf;
	MPI_Count count; /* int, unless `large` */
	MPI_Datatype type;
	MPI_Comm comm;
	const struct tv_comm *known;
	int source, tag;
	bool large;
};

/* It was started. */
void tv_forced_add(const struct tv_thread *t, struct tv_forced forced);
/* A call begins that waits for all of these requests, or one: waits until those that are forced are
 * complete. Requests may change. */
void tv_forced_wait(struct tv_thread *t, int count, MPI_Request requests[], bool all);
/* A call asks for them, and may say no. */
void tv_forced_ask(const struct tv_thread *t, int count, MPI_Request requests[]);
/* Waits until the `n` of the call's requests are complete that `which` has; NULL: all. False: they
 * cannot be, and the rank has departed. `asks`: the call could say no. */
bool tv_forced_await(struct tv_thread *t, int count, MPI_Request requests[],
		     const struct tv_choice *which, int n, bool asks);
