#include "capture/lib/mpi/persistent.h"

#include <stdlib.h>

#include "capture/lib/hold.h"
#include "capture/lib/locks.h"
#include "capture/lib/mpi/inflight.h"

struct one {
	MPI_Request request;
	struct tv_deferral what;
	bool own_type; /* the program may free its own meanwhile */
};

static struct {
	pthread_mutex_t lock;
	struct one *list;
	int n, cap;
} ready = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct one *find(MPI_Request request)
{
	for (int i = 0; i < ready.n; i++)
		if (ready.list[i].request == request)
			return &ready.list[i];
	return NULL;
}

static struct one *room(void)
{
	if (ready.n == ready.cap) {
		const int more = ready.cap ? ready.cap * 2 : 16;
		void *larger = realloc(ready.list, (size_t)more * sizeof *ready.list);
		if (!larger)
			return NULL;
		ready.list = larger;
		ready.cap = more;
	}
	return &ready.list[ready.n++];
}

void tv_persistent_add(MPI_Request request, struct tv_deferral what)
{
	struct one one = { request, what, !tv_builtin_size(what.type) };
	struct one *at;

	if (one.own_type && tv_mpi.Type_dup(what.type, &one.what.type) != MPI_SUCCESS)
		return;
	tv_lock(&ready.lock);
	at = room();
	if (at)
		*at = one;
	tv_unlock(&ready.lock);
}

/* Under the lock. */
static void drop(struct one *one)
{
	if (one->own_type)
		tv_mpi.Type_free(&one->what.type);
	*one = ready.list[--ready.n];
}

void tv_persistent_forget(MPI_Request request)
{
	struct one *one;

	tv_lock(&ready.lock);
	one = find(request);
	if (one)
		drop(one);
	tv_unlock(&ready.lock);
}

void tv_persistent_gone(MPI_Comm comm)
{
	tv_lock(&ready.lock);
	for (int i = ready.n - 1; i >= 0; i--)
		if (ready.list[i].what.comm == comm)
			drop(&ready.list[i]);
	tv_unlock(&ready.lock);
}

static bool is_any(MPI_Request request)
{
	const struct tv_request *r = tv_request_look(request, NULL);

	return r && r->kind == TV_REQUEST_MESSAGE && r->recv && r->peer == TV_PEER_ANYBODY;
}

bool tv_persistent_has(int count, const MPI_Request requests[])
{
	for (int i = 0; i < count; i++)
		if (is_any(requests[i]))
			return true;
	return false;
}

static bool start(struct tv_thread *t, MPI_Request request, uint32_t call)
{
	struct tv_deferral what;
	const struct one *one;

	tv_lock(&ready.lock);
	one = find(request);
	if (one)
		what = one->what;
	tv_unlock(&ready.lock);
	if (!one && is_any(request) && tv.line)
		tv_hold_cannot(TV_UNCONTROLLED_STARTED);
	return one && tv_deferred_start(t, what, request, call);
}

int tv_persistent_start(struct tv_thread *t, MPI_Request *request, uint32_t call)
{
	const struct tv_request *r = tv_request_look(*request, NULL);

	if (start(t, *request, call))
		return MPI_SUCCESS;
	if (TV_UNLIKELY(tv.deferred != NULL) && r && r->kind == TV_REQUEST_MESSAGE && r->recv)
		tv_deferred_precede(t, r->comm, r->tag);
	tv_request_start(t, *request, call, t->now);
	return call == CALL_Start ? TV_NEXT(Start)(request) : tv_mpi.Start(request);
}
