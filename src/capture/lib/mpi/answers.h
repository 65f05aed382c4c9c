/* answers: which request a call completed, and whether one that asks said yes: noted where that
 * depends on time, and in a replay given as the list has it (choices.h).
 *
 * It depends on time where the call waits for one of several requests, or asks. In a replay the
 * rank waits for the requests that the list names, and completes these alone; a call that asks says
 * no as often as it did, without a look at the requests.
 *
 *	const bool noted = tv_answer_depends(asks, count, requests);
 *	struct tv_answer answer = TV_ANSWER(t, call, kind, asks, count, requests);
 *	rc = answer.how == TV_ANSWER_MPI ? MPI_X(...) : tv_answer_one(&answer, requests, ...);
 *	if (noted)
 *		tv_order_answered(t, ...);
 */
#pragma once

#include "capture/lib/choices.h"
#include "capture/lib/mpi/pmpi.h"
#include "capture/lib/replay_board.h"

enum tv_answer_how {
	TV_ANSWER_MPI,  /* MPI gives it; all that must be complete is */
	TV_ANSWER_NO,   /* the call says no */
	TV_ANSWER_THEM, /* the requests of the list, which are complete */
};

struct tv_answer {
	enum tv_answer_how how;
	int n;
	const struct tv_choice *which;
};

/* What a call that waits for one of these requests, or for all (TV_CHOICE_NONE), or asks, is to
 * answer. Requests may change. */
struct tv_answer tv_answer(struct tv_thread *t, uint32_t call, enum tv_choice_kind kind, bool asks,
			   int count, MPI_Request requests[]);

/* TV_ANSWER_THEM as MPI_Waitany and MPI_Waitsome answer; or no. */
int tv_answer_one(const struct tv_answer *answer, MPI_Request requests[], int *index,
		  MPI_Status *status);
int tv_answer_some(const struct tv_answer *answer, MPI_Request requests[], int *done, int indices[],
		   MPI_Status statuses[]);

static inline bool tv_answer_depends(bool asks, int count, const MPI_Request requests[])
{
	int active = 0;

	for (int i = 0; i < count && active < 2 - asks; i++)
		active += requests[i] != MPI_REQUEST_NULL;
	return active == 2 - asks;
}

/* A call that asks said no. */
static inline void tv_answer_denied(struct tv_thread *t)
{
	if (TV_LIKELY(tv.choices))
		tv_order_denied(t);
	if (TV_UNLIKELY(tv.board != NULL))
		tv_board_polled();
}
