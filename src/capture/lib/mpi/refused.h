/* refused: what a call of MPI that returns an error has done. */
#pragma once

#include "capture/lib/mpi/pmpi.h"

/* How a message or a request ended. */
enum tv_outcome {
	TV_DONE,
	TV_TRUNCATED, /* it arrived, and was longer than its buffer */
	TV_FAILED,
};

/* By what the call returned, or the status of one of its requests. */
enum tv_outcome tv_outcome_of(int error);

/* The call, which began at `begun` (tv_thread.now), returned `error`. True, and written down, if
 * MPI found it in the arguments: then it communicated nothing. Before tv_end(). */
bool tv_refuses(struct tv_thread *t, uint32_t call, uint64_t begun, int error);

static inline bool tv_refused(struct tv_thread *t, uint32_t call, uint64_t begun, int error)
{
	return TV_UNLIKELY(error != MPI_SUCCESS) && tv_refuses(t, call, begun, error);
}
