/* The calls that start, complete and ask for requests. Completion voids the handles, so they are copied first; where
 * the program wants no status it gets one of ours, for only the status tells who sent a wildcard's message. */
#include "capture/lib/inflight.h"

#include <stdlib.h>
#include <string.h>

/* Copies of the handles and room for the statuses of one call: on the stack while they are few. */
struct scratch {
	enum { FEW = 32 } few;
	MPI_Request *handles;
	MPI_Status *statuses;
	MPI_Request few_handles[FEW];
	MPI_Status few_statuses[FEW];
};

/* False: no memory, the call goes unrecorded. */
static bool scratch_begin(struct scratch *s, int count, const MPI_Request *handles,
			  MPI_Status *statuses)
{
	s->handles = s->few_handles;
	s->statuses = statuses == MPI_STATUSES_IGNORE ? s->few_statuses : statuses;
	if (count > FEW) {
		s->handles = malloc((size_t)count * sizeof *s->handles);
		if (statuses == MPI_STATUSES_IGNORE)
			s->statuses = malloc((size_t)count * sizeof *s->statuses);
		if (!s->handles || !s->statuses) {
			free(s->handles);
			if (statuses == MPI_STATUSES_IGNORE)
				free(s->statuses);
			return false;
		}
	}
	if (count > 0)
		memcpy(s->handles, handles, (size_t)count * sizeof *handles);
	return true;
}

static void scratch_end(struct scratch *s, const MPI_Status *statuses)
{
	if (s->handles != s->few_handles)
		free(s->handles);
	if (statuses == MPI_STATUSES_IGNORE && s->statuses != s->few_statuses)
		free(s->statuses);
}

/* In an array call that failed, a status says of each request whether it was completed. */
static bool completed(int rc, const MPI_Status *status)
{
	return rc == MPI_SUCCESS || (rc == MPI_ERR_IN_STATUS && status->MPI_ERROR == MPI_SUCCESS);
}

int MPI_Start(MPI_Request *request)
{
	struct tv_thread *t = TV_BEGIN(Start);
	int rc;

	if (t)
		tv_request_start(t, *request, CALL_Start, t->now);
	rc = tv_mpi.Start(request);
	if (t)
		tv_end(t, CALL_Start);
	return rc;
}

int MPI_Startall(int count, MPI_Request requests[])
{
	struct tv_thread *t = TV_BEGIN(Startall);
	int rc;

	for (int i = 0; t && i < count; i++)
		tv_request_start(t, requests[i], TV_CALL_SEVERAL, t->now);
	rc = tv_mpi.Startall(count, requests);
	/* Whom they are with is known by now, and so is the row. */
	for (int i = 0; t && i < count; i++)
		tv_request_started(t, requests[i]);
	if (t)
		tv_end(t, CALL_Startall);
	return rc;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
	struct tv_thread *t = TV_BEGIN(Wait);
	const MPI_Request handle = *request;
	MPI_Status own;
	int rc;

	if (!t)
		return tv_mpi.Wait(request, status);
	if (status == MPI_STATUS_IGNORE)
		status = &own;
	rc = tv_mpi.Wait(request, status);
	const uint64_t now = tv_now();
	if (rc == MPI_SUCCESS)
		tv_request_complete(t, handle, status, now);
	tv_end_at(t, CALL_Wait, now);
	return rc;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	struct tv_thread *t = TV_BEGIN(Test);
	const MPI_Request handle = *request;
	MPI_Status own;
	int rc;

	if (!t)
		return tv_mpi.Test(request, flag, status);
	if (status == MPI_STATUS_IGNORE)
		status = &own;
	rc = tv_mpi.Test(request, flag, status);
	const uint64_t now = tv_now();
	if (rc == MPI_SUCCESS && *flag)
		tv_request_complete(t, handle, status, now);
	else if (rc == MPI_SUCCESS)
		tv_request_tested(t, handle, now);
	tv_end_at(t, CALL_Test, now);
	return rc;
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
	struct tv_thread *t = TV_BEGIN(Waitany);
	struct scratch s;
	MPI_Status own;
	int rc;

	if (!t || !scratch_begin(&s, count, requests, NULL)) {
		rc = tv_mpi.Waitany(count, requests, index, status);
		if (t)
			tv_end(t, CALL_Waitany);
		return rc;
	}
	if (status == MPI_STATUS_IGNORE)
		status = &own;
	rc = tv_mpi.Waitany(count, requests, index, status);
	const uint64_t now = tv_now();
	if (rc == MPI_SUCCESS && *index != MPI_UNDEFINED)
		tv_request_complete(t, s.handles[*index], status, now);
	tv_end_at(t, CALL_Waitany, now);
	scratch_end(&s, NULL);
	return rc;
}

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
	struct tv_thread *t = TV_BEGIN(Testany);
	struct scratch s;
	MPI_Status own;
	int rc;

	if (!t || !scratch_begin(&s, count, requests, NULL)) {
		rc = tv_mpi.Testany(count, requests, index, flag, status);
		if (t)
			tv_end(t, CALL_Testany);
		return rc;
	}
	if (status == MPI_STATUS_IGNORE)
		status = &own;
	rc = tv_mpi.Testany(count, requests, index, flag, status);
	const uint64_t now = tv_now();
	if (rc == MPI_SUCCESS && *flag && *index != MPI_UNDEFINED)
		tv_request_complete(t, s.handles[*index], status, now);
	for (int i = 0; rc == MPI_SUCCESS && !*flag && i < count; i++)
		tv_request_tested(t, s.handles[i], now);
	tv_end_at(t, CALL_Testany, now);
	scratch_end(&s, NULL);
	return rc;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
	struct tv_thread *t = TV_BEGIN(Waitall);
	struct scratch s;
	int rc;

	if (!t || !scratch_begin(&s, count, requests, statuses)) {
		rc = tv_mpi.Waitall(count, requests, statuses);
		if (t)
			tv_end(t, CALL_Waitall);
		return rc;
	}
	rc = tv_mpi.Waitall(count, requests, s.statuses);
	const uint64_t now = tv_now();
	for (int i = 0; i < count; i++)
		if (completed(rc, &s.statuses[i]))
			tv_request_complete(t, s.handles[i], &s.statuses[i], now);
	if (t->with.peer != TV_PEER_NONE)
		t->with.peer = -1;
	tv_end_at(t, CALL_Waitall, now);
	scratch_end(&s, statuses);
	return rc;
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
	struct tv_thread *t = TV_BEGIN(Testall);
	struct scratch s;
	int rc;

	if (!t || !scratch_begin(&s, count, requests, statuses)) {
		rc = tv_mpi.Testall(count, requests, flag, statuses);
		if (t)
			tv_end(t, CALL_Testall);
		return rc;
	}
	rc = tv_mpi.Testall(count, requests, flag, s.statuses);
	const uint64_t now = tv_now();
	for (int i = 0; i < count; i++) {
		if (rc == MPI_SUCCESS && !*flag)
			tv_request_tested(t, s.handles[i], now);
		else if (completed(rc, &s.statuses[i]))
			tv_request_complete(t, s.handles[i], &s.statuses[i], now);
	}
	tv_end_at(t, CALL_Testall, now);
	scratch_end(&s, statuses);
	return rc;
}

/* Those of MPI_Waitsome and MPI_Testsome that are complete. */
static void complete_some(struct tv_thread *t, const struct scratch *s, int rc, int done,
			  const int *indices, uint64_t now)
{
	if (done == MPI_UNDEFINED)
		return;
	for (int i = 0; i < done; i++)
		if (completed(rc, &s->statuses[i]))
			tv_request_complete(t, s->handles[indices[i]], &s->statuses[i], now);
}

int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
	struct tv_thread *t = TV_BEGIN(Waitsome);
	struct scratch s;
	int rc;

	if (!t || !scratch_begin(&s, count, requests, statuses)) {
		rc = tv_mpi.Waitsome(count, requests, done, indices, statuses);
		if (t)
			tv_end(t, CALL_Waitsome);
		return rc;
	}
	rc = tv_mpi.Waitsome(count, requests, done, indices, s.statuses);
	const uint64_t now = tv_now();
	complete_some(t, &s, rc, *done, indices, now);
	tv_end_at(t, CALL_Waitsome, now);
	scratch_end(&s, statuses);
	return rc;
}

int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
	struct tv_thread *t = TV_BEGIN(Testsome);
	struct scratch s;
	int rc;

	if (!t || !scratch_begin(&s, count, requests, statuses)) {
		rc = tv_mpi.Testsome(count, requests, done, indices, statuses);
		if (t)
			tv_end(t, CALL_Testsome);
		return rc;
	}
	rc = tv_mpi.Testsome(count, requests, done, indices, s.statuses);
	const uint64_t now = tv_now();
	complete_some(t, &s, rc, *done, indices, now);
	for (int i = 0; rc == MPI_SUCCESS && *done == 0 && i < count; i++)
		tv_request_tested(t, s.handles[i], now);
	tv_end_at(t, CALL_Testsome, now);
	scratch_end(&s, statuses);
	return rc;
}

int MPI_Cancel(MPI_Request *request)
{
	struct tv_thread *t = TV_BEGIN(Cancel);
	int rc;

	if (t)
		tv_request_cancel(t, *request);
	rc = tv_mpi.Cancel(request);
	if (t)
		tv_end(t, CALL_Cancel);
	return rc;
}

int MPI_Request_free(MPI_Request *request)
{
	struct tv_thread *t = TV_BEGIN(Request_free);
	int rc;

	if (t)
		tv_request_free(t, *request, t->now);
	rc = tv_mpi.Request_free(request);
	if (t)
		tv_end(t, CALL_Request_free);
	return rc;
}
