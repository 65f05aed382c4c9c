/* persistent: receives from any source that MPI_Recv_init has made ready. A start of one is a
 * nonblocking receive that MPI gets instead: so it may be deferred (deferred.h), and in a replay it
 * asks for the sender that the list has; the program's request stays as it is, and is not active
 * for MPI. */
#pragma once

#include "capture/lib/mpi/deferred.h"

void tv_persistent_add(MPI_Request request, struct tv_deferral what);
/* MPI_Request_free; its communicator is freed: then MPI starts it. */
void tv_persistent_forget(MPI_Request request);
void tv_persistent_gone(MPI_Comm comm);

/* Some of these are from any source. */
bool tv_persistent_has(int count, const MPI_Request requests[]);
/* MPI_Start; the record, too. `call` or TV_CALL_SEVERAL. */
int tv_persistent_start(struct tv_thread *t, MPI_Request *request, uint32_t call);
