#include "capture/lib/mpi/answers.h"

#include "capture/lib/mpi/forced.h"
#include "capture/lib/mpi/inflight.h"

/* What another thread may wait for goes on only in a call of MPI. */
static void go_on(int count, const MPI_Request requests[])
{
	int flag;

	for (int i = 0; i < count; i++) {
		if (requests[i] == MPI_REQUEST_NULL)
			continue;
		tv_mpi.Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
		return;
	}
}

/* The call has these requests, each once. */
static bool has(int count, const MPI_Request requests[], const struct tv_choice *which, int n)
{
	for (int i = 0; i < n; i++) {
		const int at = which[i].what;
		if (at < 0 || at >= count || requests[at] == MPI_REQUEST_NULL)
			return false;
		for (int k = 0; k < i; k++)
			if (which[k].what == at)
				return false;
	}
	return true;
}

/* As the list says: waits for it. */
static struct tv_answer listed(struct tv_thread *t, const struct tv_choice *next, bool asks,
			       int count, MPI_Request requests[])
{
	const bool all = next->kind == TV_CHOICE_TRUE, set = next->kind == TV_CHOICE_SET;
	const struct tv_answer them = { TV_ANSWER_THEM, set ? next->what : 1, next + set };

	if (all) {
		tv_forced_await(t, count, requests, NULL, 0, asks);
		return (struct tv_answer){ .how = TV_ANSWER_MPI };
	}
	/* No request is active. */
	if (next->what < 0)
		return (struct tv_answer){ .how = TV_ANSWER_MPI };
	if (!has(count, requests, them.which, them.n)) {
		tv_order_depart(t, TV_DEPART_MEMBER);
		return (struct tv_answer){ .how = TV_ANSWER_MPI };
	}
	return tv_forced_await(t, count, requests, them.which, them.n, asks)
		       ? them
		       : (struct tv_answer){ .how = TV_ANSWER_MPI };
}

struct tv_answer tv_answer(struct tv_thread *t, uint32_t call, enum tv_choice_kind kind, bool asks,
			   int count, MPI_Request requests[])
{
	const struct tv_choice *next = NULL;

	if (kind != TV_CHOICE_NONE && tv_answer_depends(asks, count, requests)) {
		if (asks && tv_order_denies(t)) {
			go_on(count, requests);
			return (struct tv_answer){ .how = TV_ANSWER_NO };
		}
		next = tv_order_next(t, kind, call, NULL);
	}
	if (next)
		return listed(t, next, asks, count, requests);
	if (asks)
		tv_forced_ask(t, count, requests);
	else
		tv_forced_wait(t, count, requests, kind == TV_CHOICE_NONE);
	if (!asks && count == 1)
		tv_board_awaits(t, tv_request_sender(*requests));
	return (struct tv_answer){ .how = TV_ANSWER_MPI };
}

int tv_answer_one(const struct tv_answer *answer, MPI_Request requests[], int *index,
		  MPI_Status *status)
{
	*index = answer->how == TV_ANSWER_NO ? MPI_UNDEFINED : answer->which->what;
	return answer->how == TV_ANSWER_NO ? MPI_SUCCESS : tv_mpi.Wait(&requests[*index], status);
}

int tv_answer_some(const struct tv_answer *answer, MPI_Request requests[], int *done, int indices[],
		   MPI_Status statuses[])
{
	int rc = MPI_SUCCESS;

	*done = answer->how == TV_ANSWER_NO ? 0 : answer->n;
	for (int i = 0; i < *done; i++) {
		const int at = indices[i] = answer->which[i].what;
		const int one = tv_mpi.Wait(&requests[at], &statuses[i]);
		if (one == MPI_SUCCESS && rc == MPI_SUCCESS)
			continue;
		/* Then each status says it. */
		for (int k = 0; rc == MPI_SUCCESS && k < i; k++)
			statuses[k].MPI_ERROR = MPI_SUCCESS;
		statuses[i].MPI_ERROR = one;
		rc = MPI_ERR_IN_STATUS;
	}
	return rc;
}
