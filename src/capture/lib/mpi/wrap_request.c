/* The calls that start, complete and test requests. Completion voids the handles, so they are
 * copied first. If the program ignores the status, the call fills one of ours: only the status has
 * the sender of a wildcard's message. */

#include <stdlib.h>

#include "capture/lib/hold.h"
#include "capture/lib/mpi/answers.h"
#include "capture/lib/mpi/deferred.h"
#include "capture/lib/mpi/hold_requests.h"
#include "capture/lib/mpi/inflight.h"
#include "capture/lib/mpi/persistent.h"
#include "capture/lib/mpi/wrap.h"
#include "capture/lib/own_line.h"
#include "capture/lib/virtual.h"

/* Copies of the handles and room for the statuses of one call: on the stack while they are few. */
struct scratch {
	enum { FEW = 32 } few;
	struct asked {
		MPI_Request handle;
		struct request_cell *claimed;
	} * asked;
	MPI_Status *statuses;
	struct asked few_asked[FEW];
	MPI_Status few_statuses[FEW];
};

/* False: no memory, the call goes unrecorded. */
static bool scratch_begin(struct tv_thread *t, struct scratch *s, int count,
			  const MPI_Request *handles, MPI_Status *statuses)
{
	s->asked = s->few_asked;
	s->statuses = statuses == MPI_STATUSES_IGNORE ? s->few_statuses : statuses;
	if (count > FEW) {
		s->asked = malloc((size_t)count * sizeof *s->asked);
		if (statuses == MPI_STATUSES_IGNORE)
			s->statuses = malloc((size_t)count * sizeof *s->statuses);
		if (!s->asked || !s->statuses) {
			free(s->asked);
			if (statuses == MPI_STATUSES_IGNORE)
				free(s->statuses);
			return false;
		}
	}
	for (int i = 0; i < count; i++)
		s->asked[i] = (struct asked){ handles[i], tv_request_claim(handles[i]) };
	for (int i = 0; TV_UNLIKELY(tv.statistics) && i < count; i++)
		tv_request_awaited(t, handles[i], s->asked[i].claimed);
	return true;
}

/* For whom a call waits (own_line.h). */
enum waits { WAITS_NOT, WAITS_FIRST, WAITS_ALL };

static void tell_wait(const struct tv_thread *t, const struct asked *asked, int count,
		      enum waits how)
{
	struct tv_line_wait wait = { .held = false };

	if (how == WAITS_NOT || !tv_line_tells(t))
		return;
	for (int i = 0; i < count && !wait.many; i++)
		tv_request_waits(asked[i].handle, asked[i].claimed, &wait);
	tv_line_waits(t, &wait, how == WAITS_ALL);
}

/* Releases what was claimed and is not complete. */
static void scratch_end(struct scratch *s, int count, const MPI_Status *statuses)
{
	for (int i = 0; TV_UNLIKELY(tv.multi) && i < count; i++)
		tv_request_kept(s->asked[i].claimed);
	if (s->asked != s->few_asked)
		free(s->asked);
	if (statuses == MPI_STATUSES_IGNORE && s->statuses != s->few_statuses)
		free(s->statuses);
}

static void complete(struct tv_thread *t, struct asked *asked, const MPI_Status *status, int error,
		     uint64_t now)
{
	tv_request_complete(t, asked->handle, asked->claimed, status, tv_outcome_of(error), now);
	asked->claimed = NULL;
}

static void tested(struct tv_thread *t, struct asked *asked, uint64_t now)
{
	tv_request_tested(t, asked->handle, asked->claimed, now);
	asked->claimed = NULL;
}

/* In an array call that failed, a status says of each request what became of it. */
static int error_of(int rc, const MPI_Status *status)
{
	return rc == MPI_SUCCESS ? rc : status->MPI_ERROR;
}

static bool completed(int rc, const MPI_Status *status)
{
	return TV_LIKELY(rc == MPI_SUCCESS) ||
	       (rc == MPI_ERR_IN_STATUS && status->MPI_ERROR != MPI_ERR_PENDING);
}

/* A call of one request that failed may have completed it, with an error: then the handle is void,
 * or the message was too long. */
static bool is_over(int rc, MPI_Request before, MPI_Request after)
{
	return TV_LIKELY(rc == MPI_SUCCESS) ||
	       (before != MPI_REQUEST_NULL && after == MPI_REQUEST_NULL) ||
	       tv_outcome_of(rc) == TV_TRUNCATED;
}

static bool one_is_over(int rc, const struct scratch *s, int count, const MPI_Request *requests,
			int index)
{
	return TV_LIKELY(rc == MPI_SUCCESS)
		       ? index != MPI_UNDEFINED
		       : index >= 0 && index < count &&
				 is_over(rc, s->asked[index].handle, requests[index]);
}

/* Those of MPI_Waitsome and MPI_Testsome that are complete. */
static void complete_some(struct tv_thread *t, struct scratch *s, int rc, int done,
			  const int *indices, uint64_t now)
{
	if (done == MPI_UNDEFINED || (rc != MPI_SUCCESS && rc != MPI_ERR_IN_STATUS))
		return;
	for (int i = 0; i < done; i++)
		if (completed(rc, &s->statuses[i]))
			complete(t, &s->asked[indices[i]], &s->statuses[i],
				 error_of(rc, &s->statuses[i]), now);
}

/* MPI gets another request for a receive from any source, maybe later (persistent.h). */
static bool starts_any(const struct tv_thread *t, int count, const MPI_Request requests[])
{
	return t && (TV_UNLIKELY(tv.line) || tv.replays) &&
	       (tv.deferred || tv_persistent_has(count, requests));
}

int tv_wrap_Start(MPI_Request *request)
{
	struct tv_thread *t = TV_BEGIN(Start);
	const bool any = starts_any(t, 1, request);
	int rc;

	if (t && !any)
		tv_request_start(t, *request, CALL_Start, t->now);
	rc = any ? tv_persistent_start(t, request, CALL_Start) : TV_NEXT(Start)(request);
	if (t)
		tv_end(t, CALL_Start);
	return rc;
}

/* The row is known only when all partners are. */
int tv_wrap_Startall(int count, MPI_Request requests[])
{
	struct tv_thread *t = TV_BEGIN(Startall);
	const bool any = starts_any(t, count, requests);
	int rc = MPI_SUCCESS;

	for (int i = 0; t && !any && i < count; i++)
		tv_request_start(t, requests[i], TV_CALL_SEVERAL, t->now);
	for (int i = 0; any && i < count && rc == MPI_SUCCESS; i++)
		rc = tv_persistent_start(t, &requests[i], TV_CALL_SEVERAL);
	if (!any)
		rc = TV_NEXT(Startall)(count, requests);
	for (int i = 0; t && i < count; i++)
		tv_request_started(t, requests[i]);
	if (t)
		tv_end(t, CALL_Startall);
	return rc;
}

/* A call of one request, which goes to MPI if it is deferred. */
static bool goes(struct tv_thread *t, MPI_Request *request)
{
	const bool given = TV_UNLIKELY(tv.answers);

	if (given && t)
		tv_deferred_go(t, *request, t->call == CALL_Cancel);
	if (given)
		tv_deferred_give(1, request);
	return given;
}

int tv_wrap_Cancel(MPI_Request *request)
{
	struct tv_thread *t = TV_BEGIN(Cancel);
	const bool given = goes(t, request);
	int rc;

	if (t)
		tv_request_cancel(*request);
	rc = TV_NEXT(Cancel)(request);
	if (given)
		tv_deferred_back(1, request);
	if (t)
		tv_end(t, CALL_Cancel);
	return rc;
}

int tv_wrap_Request_free(MPI_Request *request)
{
	struct tv_thread *t = TV_BEGIN(Request_free);
	const MPI_Request persistent = *request;
	const bool given = goes(t, request);
	int rc;

	if (t)
		tv_request_free(t, *request, t->now);
	rc = TV_NEXT(Request_free)(request);
	if (given)
		tv_deferred_back(1, request);
	/* Its start was another request. */
	if (rc == MPI_SUCCESS && *request == persistent && *request != MPI_REQUEST_NULL) {
		if (t)
			tv_request_free(t, persistent, t->now);
		rc = tv_mpi.Request_free(request);
	}
	if (rc == MPI_SUCCESS)
		tv_persistent_forget(persistent);
	if (t)
		tv_end(t, CALL_Request_free);
	return rc;
}

/* A call of one request that is not recorded. */
#define UNRECORDED(call, request)             \
	do {                                  \
		int rc_;                      \
		if (!given)                   \
			return call;          \
		tv_deferred_give(1, request); \
		rc_ = call;                   \
		tv_deferred_back(1, request); \
		return rc_;                   \
	} while (0)

/* Those that look at requests, and complete none. */
#define LOOK(name, params, args, count, requests)                              \
	int tv_wrap_##name params                                              \
	{                                                                      \
		struct tv_thread *t = TV_BEGIN(name);                          \
		const bool given = TV_UNLIKELY(tv.answers);                    \
		MPI_Request *const own = (MPI_Request *)(uintptr_t)(requests); \
		int rc;                                                        \
		if (given && t && !tv.replays)                                 \
			tv_deferred_ask(t, TV_CHOICE_NONE, count, own);        \
		else if (given)                                                \
			tv_deferred_give(count, own);                          \
		rc = TV_NEXT(name) args;                                       \
		if (given)                                                     \
			tv_deferred_back(count, own);                          \
		if (t)                                                         \
			tv_end(t, CALL_##name);                                \
		return rc;                                                     \
	}

LOOK(Request_get_status, (MPI_Request request, int *flag, MPI_Status *status),
     (request, flag, status), 1, &request)
LOOK(Request_get_status_all,
     (int count, const MPI_Request requests[], int *flag, MPI_Status statuses[]),
     (count, requests, flag, statuses), count, requests)
LOOK(Request_get_status_any,
     (int count, const MPI_Request requests[], int *index, int *flag, MPI_Status *status),
     (count, requests, index, flag, status), count, requests)
LOOK(Request_get_status_some,
     (int count, const MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]),
     (count, requests, done, indices, statuses), count, requests)

/* Before a call that waits, or asks, goes on into MPI, where that may not give the answer. */
static struct tv_answer before(struct tv_thread *t, uint32_t call, enum tv_choice_kind kind,
			       bool asks, int count, MPI_Request requests[])
{
	if (tv.replays) {
		tv_deferred_give(count, requests);
		return tv_answer(t, call, kind, asks, count, requests);
	}
	return asks ? tv_deferred_ask(t, kind, count, requests)
		    : tv_deferred_await(t, kind, count, requests);
}

#define ASK(request)                                                   \
	const MPI_Request handle = *request;                           \
	struct request_cell *const claimed = tv_request_claim(handle); \
	if (TV_UNLIKELY(tv.statistics))                                \
	tv_request_awaited(t, handle, claimed)
int tv_wrap_Wait(MPI_Request *request, MPI_Status *status)
{
	struct tv_thread *t = TV_BEGIN(Wait);
	const bool given = TV_UNLIKELY(tv.answers);
	MPI_Status own;
	int rc;

	if (!t)
		UNRECORDED(TV_NEXT(Wait)(request, status), request);
	if (status == MPI_STATUS_IGNORE)
		status = &own;
	if (given)
		before(t, CALL_Wait, TV_CHOICE_NONE, false, 1, request);
	ASK(request);
	if (TV_UNLIKELY(tv.line))
		tell_wait(t, &(struct asked){ handle, claimed }, 1, WAITS_ALL);
	rc = TV_NEXT(Wait)(request, status);
	const uint64_t now = tv_returned(t);
	if (is_over(rc, handle, *request))
		tv_request_complete(t, handle, claimed, status, tv_outcome_of(rc), now);
	else
		tv_request_kept(claimed);
	if (given)
		tv_deferred_back(1, request);
	tv_end_at(t, CALL_Wait, now);
	return rc;
}

int tv_wrap_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	struct tv_thread *t = TV_BEGIN(Test);
	const bool given = TV_UNLIKELY(tv.answers);
	struct tv_answer answer = { .how = TV_ANSWER_MPI };
	MPI_Status own;
	int rc = MPI_SUCCESS;

	if (!t)
		UNRECORDED(TV_NEXT(Test)(request, flag, status), request);
	if (status == MPI_STATUS_IGNORE)
		status = &own;
	if (given)
		answer = before(t, CALL_Test, TV_CHOICE_TRUE, true, 1, request);
	ASK(request);
	*flag = 0;
	if (answer.how != TV_ANSWER_NO)
		rc = TV_NEXT(Test)(request, flag, status);
	const uint64_t now = tv_returned(t);
	if (rc == MPI_SUCCESS ? *flag : is_over(rc, handle, *request))
		tv_request_complete(t, handle, claimed, status, tv_outcome_of(rc), now);
	else if (rc == MPI_SUCCESS)
		tv_request_tested(t, handle, claimed, now);
	else
		tv_request_kept(claimed);
	if (rc == MPI_SUCCESS && !*flag)
		tv_answer_denied(t);
	else if (rc == MPI_SUCCESS && tv.choices && handle != MPI_REQUEST_NULL)
		tv_order_answered(t, TV_CHOICE_TRUE, CALL_Test, 0);
	if (given)
		tv_deferred_back(1, request);
	tv_end_at(t, CALL_Test, now);
	return rc;
}

/* What completes it may come at another time without the recorder. */
static bool depends(const struct tv_request *r)
{
	return r && r->kind == TV_REQUEST_MESSAGE && r->active &&
	       (r->recv || tv_virtual_waits(r->bytes, r->mode));
}

/* Whether MPI chooses among requests that may be complete in another order without the recorder;
 * and, after the call, whether it took one. */
static bool is_choice(const struct asked *asked, int count)
{
	int active = 0, depend = 0;

	for (int i = 0; i < count && (active < 2 || !depend); i++) {
		const struct tv_request *r = tv_request_look(asked[i].handle, asked[i].claimed);
		active +=
			asked[i].handle != MPI_REQUEST_NULL && !(r && r->persistent && !r->active);
		depend += depends(r);
	}
	return active > 1 && depend;
}

#define CHOOSES_Waitany  true
#define CHOOSES_Waitsome true
#define CHOOSES_Testany  true
#define CHOOSES_Testsome true
#define CHOOSES_Waitall  false
#define CHOOSES_Testall  false
#define CHOSE_Waitany    (rc == MPI_SUCCESS)
#define CHOSE_Waitsome   (rc == MPI_SUCCESS)
#define CHOSE_Testany    (rc == MPI_SUCCESS && *flag)
#define CHOSE_Testsome   (rc == MPI_SUCCESS && *done > 0)
#define CHOSE_Waitall    false
#define CHOSE_Testall    false

#define WAITS_Waitany  WAITS_FIRST
#define WAITS_Waitsome WAITS_FIRST
#define WAITS_Waitall  WAITS_ALL
#define WAITS_Testany  WAITS_NOT
#define WAITS_Testsome WAITS_NOT
#define WAITS_Testall  WAITS_NOT

/* What depends on time, in a replay as it was (answers.h). */
#define KIND_Waitany  TV_CHOICE_INDEX
#define KIND_Testany  TV_CHOICE_INDEX
#define KIND_Waitsome TV_CHOICE_SET
#define KIND_Testsome TV_CHOICE_SET
#define KIND_Testall  TV_CHOICE_TRUE
#define KIND_Waitall  TV_CHOICE_NONE

#define GIVEN_Waitany  tv_answer_one(&answer, requests, index, ONE(s, status))
#define GIVEN_Testany  (*flag = answer.how != TV_ANSWER_NO, GIVEN_Waitany)
#define GIVEN_Waitsome tv_answer_some(&answer, requests, done, indices, s.statuses)
#define GIVEN_Testsome GIVEN_Waitsome
#define GIVEN_Testall  (*flag = 0, MPI_SUCCESS)
#define GIVEN_Waitall  MPI_SUCCESS

#define NOTE_Waitany  note_one(t, CALL_Waitany, true, *index)
#define NOTE_Testany  note_one(t, CALL_Testany, *flag, *index)
#define NOTE_Waitsome note_some(t, CALL_Waitsome, *done, indices)
#define NOTE_Testsome note_some(t, CALL_Testsome, *done, indices)
#define NOTE_Testall  note_all(t, CALL_Testall, *flag)
#define NOTE_Waitall  TV_NOTHING

/* What MPI_Waitall has completed before. */
#define EARLY_Waitany  TV_NOTHING
#define EARLY_Testany  TV_NOTHING
#define EARLY_Waitsome TV_NOTHING
#define EARLY_Testsome TV_NOTHING
#define EARLY_Testall  TV_NOTHING
#define EARLY_Waitall  rc = given ? tv_deferred_statuses(rc, count, s.statuses) : rc

static void note_one(struct tv_thread *t, uint32_t call, bool yes, int index)
{
	if (yes)
		tv_order_answered(t, TV_CHOICE_INDEX, call, index == MPI_UNDEFINED ? -1 : index);
	else
		tv_answer_denied(t);
}

static void note_some(struct tv_thread *t, uint32_t call, int n, const int *indices)
{
	if (n == 0)
		tv_answer_denied(t);
	else
		tv_order_several(t, call, n == MPI_UNDEFINED ? -1 : n, indices);
}

static void note_all(struct tv_thread *t, uint32_t call, bool yes)
{
	if (yes)
		tv_order_answered(t, TV_CHOICE_TRUE, call, 0);
	else
		tv_answer_denied(t);
}

/* Says for whom the call waits; held until it is certain what it completes in virtual time, where
 * it chooses. */
static void in_order(struct tv_thread *t, const struct scratch *s, enum waits how,
		     enum tv_choice_kind chooses, int count, MPI_Request requests[],
		     struct tv_answer *answer)
{
	if (chooses != TV_CHOICE_NONE && answer->how == TV_ANSWER_MPI && !tv_deferred_is_asked())
		*answer = tv_hold_requests(t, chooses, how == WAITS_NOT, count, requests);
	if (answer->how == TV_ANSWER_MPI)
		tell_wait(t, s->asked, count, how);
}

/* COMPLETE(name, parameters, arguments, the same with statuses that are filled, the array of
 * statuses or NULL, what is done after the call) */
#define COMPLETE(name, params, args, filled_args, filled, ...)                                    \
	int tv_wrap_##name params                                                                 \
	{                                                                                         \
		struct tv_thread *t = TV_BEGIN(name);                                             \
		struct tv_answer answer = { .how = TV_ANSWER_MPI };                               \
		struct scratch s;                                                                 \
		int rc;                                                                           \
		const bool noted = t && tv.choices && KIND_##name != TV_CHOICE_NONE &&            \
				   tv_answer_depends(WAITS_##name == WAITS_NOT, count, requests); \
		const bool given = TV_UNLIKELY(tv.answers);                                       \
		if (given && t)                                                                   \
			answer = before(t, CALL_##name, KIND_##name, WAITS_##name == WAITS_NOT,   \
					count, requests);                                         \
		else if (given)                                                                   \
			tv_deferred_give(count, requests);                                        \
		if (!t || !scratch_begin(t, &s, count, requests, filled)) {                       \
			rc = TV_NEXT(name) args;                                                  \
			if (given)                                                                \
				tv_deferred_back(count, requests);                                \
			if (t)                                                                    \
				tv_end(t, CALL_##name);                                           \
			return rc;                                                                \
		}                                                                                 \
		const bool choice = TV_UNLIKELY(tv.virtual_time) && CHOOSES_##name &&             \
				    is_choice(s.asked, count);                                    \
		if (TV_UNLIKELY(tv.line))                                                         \
			in_order(t, &s, WAITS_##name, choice ? KIND_##name : TV_CHOICE_NONE,      \
				 count, requests, &answer);                                       \
		rc = TV_LIKELY(answer.how == TV_ANSWER_MPI) ? TV_NEXT(name) filled_args           \
							    : GIVEN_##name;                       \
		const uint64_t now = tv_returned(t);                                              \
		EARLY_##name;                                                                     \
		__VA_ARGS__;                                                                      \
		if (choice && answer.how == TV_ANSWER_MPI && CHOSE_##name)                        \
			tv_hold_among();                                                          \
		if (noted && rc == MPI_SUCCESS)                                                   \
			NOTE_##name;                                                              \
		if (given)                                                                        \
			tv_deferred_back(count, requests);                                        \
		tv_end_at(t, CALL_##name, now);                                                   \
		scratch_end(&s, count, filled);                                                   \
		return rc;                                                                        \
	}

/* The status that a call of one request fills. */
#define ONE(s, status) ((status) == MPI_STATUS_IGNORE ? &(s).few_statuses[0] : (status))

COMPLETE(Waitany, (int count, MPI_Request requests[], int *index, MPI_Status *status),
	 (count, requests, index, status), (count, requests, index, ONE(s, status)), NULL, {
		 if (one_is_over(rc, &s, count, requests, *index))
			 complete(t, &s.asked[*index], ONE(s, status), rc, now);
	 })

COMPLETE(Testany, (int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status),
	 (count, requests, index, flag, status), (count, requests, index, flag, ONE(s, status)),
	 NULL, {
		 if ((rc != MPI_SUCCESS || *flag) && one_is_over(rc, &s, count, requests, *index))
			 complete(t, &s.asked[*index], ONE(s, status), rc, now);
		 for (int i = 0; rc == MPI_SUCCESS && !*flag && i < count; i++)
			 tested(t, &s.asked[i], now);
	 })

COMPLETE(Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]),
	 (count, requests, statuses), (count, requests, s.statuses), statuses, {
		 for (int i = 0; i < count; i++)
			 if (completed(rc, &s.statuses[i]))
				 complete(t, &s.asked[i], &s.statuses[i],
					  error_of(rc, &s.statuses[i]), now);
		 if (t->with.peer != TV_PEER_NONE)
			 t->with.peer = -1;
	 })

COMPLETE(Testall, (int count, MPI_Request requests[], int *flag, MPI_Status statuses[]),
	 (count, requests, flag, statuses), (count, requests, flag, s.statuses), statuses, {
		 for (int i = 0; i < count; i++) {
			 if (rc == MPI_SUCCESS && !*flag)
				 tested(t, &s.asked[i], now);
			 else if (completed(rc, &s.statuses[i]))
				 complete(t, &s.asked[i], &s.statuses[i],
					  error_of(rc, &s.statuses[i]), now);
		 }
	 })

COMPLETE(Waitsome,
	 (int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]),
	 (count, requests, done, indices, statuses), (count, requests, done, indices, s.statuses),
	 statuses, complete_some(t, &s, rc, *done, indices, now))

COMPLETE(Testsome,
	 (int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]),
	 (count, requests, done, indices, statuses), (count, requests, done, indices, s.statuses),
	 statuses, {
		 complete_some(t, &s, rc, *done, indices, now);
		 for (int i = 0; rc == MPI_SUCCESS && *done == 0 && i < count; i++)
			 tested(t, &s.asked[i], now);
	 })
