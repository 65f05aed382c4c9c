/* hold_requests: which requests MPI_Waitany, MPI_Waitsome, MPI_Testany and MPI_Testsome complete:
 * those that are complete in virtual time when the call begins, or else the first one
 * (hold_several.h). The call is held until that is certain; one that asks says no until then.
 * Deferred receives (deferred.h) go to MPI when their message is chosen. */
#pragma once

#include "capture/lib/mpi/answers.h"

/* TV_ANSWER_MPI: it is not controlled. Requests may change to MPI's own. */
struct tv_answer tv_hold_requests(struct tv_thread *t, enum tv_choice_kind kind, bool asks,
				  int count, MPI_Request requests[]);
