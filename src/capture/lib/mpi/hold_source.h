/* hold_source: holds a receive from any source until it is certain which one it takes without the
 * recorder (hold.h). */
#pragma once

#include "capture/lib/hold.h"
#include "capture/lib/mpi/pmpi.h"

/* The source that the call under way, a receive or a probe from any source that is not yet in MPI,
 * is to ask for; MPI_ANY_SOURCE: the receive is not controlled. */
int tv_hold_source(struct tv_thread *t, const struct tv_comm *known, int tag, MPI_Comm comm);

/* The same of a nonblocking receive, if it is certain now and the message is there, else
 * TV_HOLD_WAIT: the caller says what becomes of it, by tv_hold_started() or tv_hold_denied(). */
enum tv_hold tv_hold_source_now(struct tv_thread *t, const struct tv_comm *known, int tag,
				MPI_Comm comm, int *source);

/* MPI_Improbe from any source: nothing is taken before it is known which message is first. */
int tv_hold_matched(struct tv_thread *t, const struct tv_comm *known, int *source, int tag,
		    MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status);

/* A test for a message from any source was true, with the status: that of the message that is first
 * in virtual time, if that is certain; else `flag` becomes false. Returns the source. */
int tv_hold_source_probed(struct tv_thread *t, const struct tv_comm *known, int tag, MPI_Comm comm,
			  int *flag, MPI_Status *status);

/* A rank that has been held so long looks again: without a pause for a moment, then ever more
 * seldom. */
void tv_hold_pause(uint64_t ticks);
