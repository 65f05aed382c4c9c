/* together: calls that all ranks of a communicator make together and that move no bytes between
 * them: collectives of no bytes. They are written at the begin and at the end of the call. */
#pragma once

#include "capture/lib/mpi/comms.h"

struct together {
	const struct tv_comm *comm; /* NULL: not known yet */
	uint64_t begun;
	uint32_t call;
	uint32_t request; /* of one whose communicator the call makes; 0 none */
};

/* Before the call: on a communicator (of one rank, or NULL: nothing is written); on the
 * one that it makes, which is known at its end; or on none that is known. */
struct together tv_together_on(struct tv_thread *t, uint32_t call, MPI_Comm of);
struct together tv_together_of(struct tv_thread *t, uint32_t call, const struct tv_comm *comm);
struct together tv_together_made(struct tv_thread *t, uint32_t call, MPI_Comm none);
struct together tv_together_others(struct tv_thread *t, uint32_t call, MPI_Comm none);

/* After it: it ended at `now` with the result `rc`, and `made` what is known by now. */
void tv_together_end(struct tv_thread *t, const struct together *all, MPI_Comm made, uint64_t now,
		     int rc);
