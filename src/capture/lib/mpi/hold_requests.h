/* hold_requests: which of several receives MPI_Waitany, MPI_Waitsome, MPI_Testany and MPI_Testsome
 * complete: those that are complete in virtual time (hold.h), or the first one. The call is held
 * until that is certain; one that asks says no until then. */
#pragma once

#include "capture/lib/mpi/answers.h"

/* TV_ANSWER_MPI: it is not controlled. */
struct tv_answer tv_hold_requests(struct tv_thread *t, enum tv_choice_kind kind, bool asks,
				  int count, const MPI_Request requests[]);
