/* hold_source: holds a receive from any source until it is certain which one it takes without the
 * recorder (hold.h). */
#pragma once

#include "capture/lib/comm.h"
#include "capture/lib/mpi/pmpi.h"

/* The source that the call under way, a receive or a probe from any source that is not yet in MPI,
 * is to ask for; MPI_ANY_SOURCE: the receive is not controlled. */
int tv_hold_source(struct tv_thread *t, const struct tv_comm *known, int tag, MPI_Comm comm);
