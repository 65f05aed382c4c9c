#include "capture/lib/mpi/hold_requests.h"

#include "capture/lib/hold.h"
#include "capture/lib/mpi/hold_source.h"
#include "capture/lib/mpi/inflight.h"
#include "capture/lib/virtual.h"

/* The latest call that asked for the receive of this number, its first one, said no: such calls are
 * one wait, which ends with the first message. */
static uint32_t denied;

/* The receives of the call. */
struct several {
	int n;
	uint32_t ids[TV_HOLD_SEVERAL];
	int at[TV_HOLD_SEVERAL];
};

/* False: there are others than receives, or too many. */
static bool collect(struct several *s, int count, const MPI_Request requests[])
{
	s->n = 0;
	for (int i = 0; i < count; i++) {
		const uint32_t id = tv_request_receives(requests[i], NULL);
		if (requests[i] == MPI_REQUEST_NULL)
			continue;
		if (!id || s->n == TV_HOLD_SEVERAL)
			return false;
		s->ids[s->n] = id;
		s->at[s->n++] = i;
	}
	return s->n > 0;
}

static bool is_complete(MPI_Request request)
{
	int flag = 0;

	return tv_mpi.Request_get_status(request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag;
}

static bool any_complete(const struct several *s, const MPI_Request requests[])
{
	for (int i = 0; i < s->n; i++)
		if (is_complete(requests[s->at[i]]))
			return true;
	return false;
}

/* What a call that waits is given, or one that asks if they are complete for MPI, too: a message is
 * told before it is sent. */
static struct tv_answer give(const struct several *s, const bool *done, bool all, bool asks,
			     const MPI_Request requests[])
{
	enum { TRIES = 16 };
	static struct tv_choice them[TV_HOLD_SEVERAL];
	struct tv_answer answer = { TV_ANSWER_THEM, 0, them };

	for (int i = 0; i < s->n && (all || !answer.n); i++) {
		bool there = done[i];
		for (int k = 0; there && asks && !is_complete(requests[s->at[i]]); k++)
			there = k < TRIES;
		if (there)
			them[answer.n++].what = s->at[i];
	}
	if (!answer.n)
		answer.how = TV_ANSWER_NO;
	return answer;
}

struct tv_answer tv_hold_requests(struct tv_thread *t, enum tv_choice_kind kind, bool asks,
				  int count, const MPI_Request requests[])
{
	struct several s;
	bool done[TV_HOLD_SEVERAL];
	const struct tv_answer mpi = { .how = TV_ANSWER_MPI };
	const uint64_t from = tv_now();
	enum tv_hold answer;

	if (tv.multi || !collect(&s, count, requests) || !tv_hold_several(t, s.ids, s.n))
		return mpi;
	tv_virtual_enter(t);
	const bool waits = asks && denied == s.ids[0];
	denied = 0;
	for (;;) {
		/* Looked for first: it is told before it is sent. */
		const bool there = any_complete(&s, requests);
		answer = tv_hold_several_look(t, s.ids, s.n, waits, done);
		if (answer != TV_HOLD_WAIT)
			break;
		const bool untold = there && !tv_hold_has_candidate();
		if (asks && !untold) {
			denied = s.ids[0];
			return (struct tv_answer){ .how = TV_ANSWER_NO };
		}
		if (asks || tv_hold_lost(NULL, untold ? 0 : -1))
			return mpi;
		tv_hold_pause(tv_now() - from);
	}
	tv_hold_end();
	if (answer == TV_HOLD_FREE)
		return mpi;
	tv_virtual_held(t);
	return give(&s, done, kind == TV_CHOICE_SET, asks, requests);
}
