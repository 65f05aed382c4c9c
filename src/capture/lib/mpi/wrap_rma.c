/* One-sided communication: windows, accesses to them and their synchronisation, in the order of
 * records that Score-P writes: what all ranks of a window do together begins before the call and
 * ends after it, an access is noted at the start of its call, a lock and an epoch at its end. An
 * access says how many bytes leave this rank and how many arrive. MPI_Compare_and_swap sends two
 * elements: the new one and the one that is compared. */
#include <stdlib.h>

#include "capture/lib/mpi/inflight.h"
#include "capture/lib/mpi/meet.h"
#include "capture/lib/mpi/windows.h"

enum { ALL = -1 }; /* instead of a target */

static void note_sync(struct tv_thread *t, uint64_t time, enum tv_rma_what what, uint32_t call,
		      const struct tv_window *window, int target, uint32_t id)
{
	t->with.peer = target >= 0 ? target : -1;
	t->with.comm = window->comm->id;
	tv_write_rma(t, time, what, call, id, window->id, target, 0, 0);
}

/* ---- who waits for whom ---- */

static struct meeting meet_at(struct tv_thread *t, struct tv_window *window)
{
	if (!TV_UNLIKELY(tv.virtual_time) || !window)
		return (struct meeting){ 0 };
	return meet_as(t, window->comm,
		       tv_carry_turn(TV_CARRY_WINDOW, window->nth, window->turns++));
}

/* A post is told to the origins, a complete to the targets of the epoch. */
static void tell(struct tv_thread *t, const struct tv_window *window, enum tv_carry_epoch what,
		 uint32_t group)
{
	int n;
	const int32_t *ranks = tv_group_ranks(group, &n);

	for (int i = 0; i < n; i++)
		tv_carry_signal(window->comm, window->nth, ranks[i], what, tv_call_entry(t));
}

/* The call has waited for these. */
static void learn(struct tv_thread *t, const struct tv_window *window, enum tv_carry_epoch what,
		  uint32_t group)
{
	int n;
	const int32_t *ranks = tv_group_ranks(group, &n);

	tv_virtual_completed(t);
	for (int i = 0; i < n; i++)
		tv_virtual_awaited(t,
				   tv_carry_signalled(window->comm, window->nth, ranks[i], what));
}

static struct meeting sync_begins(struct tv_thread *t, uint32_t call, struct tv_window *window)
{
	if (!TV_UNLIKELY(tv.virtual_time) || !window)
		return (struct meeting){ 0 };
	if (call == CALL_Win_fence)
		return meet_at(t, window);
	if (call == CALL_Win_complete)
		tell(t, window, TV_CARRY_COMPLETE, window->started);
	return (struct meeting){ 0 };
}

static void sync_ends(struct tv_thread *t, enum tv_rma_what what, const struct tv_window *window,
		      const struct meeting *meeting)
{
	met(t, meeting);
	if (what == TV_RMA_EPOCH_COMPLETE)
		learn(t, window, TV_CARRY_POST, window->started);
	else if (what == TV_RMA_WAIT)
		learn(t, window, TV_CARRY_COMPLETE, window->posted);
}

/* ---- windows ---- */

#define CREATE(name, allocates, params, args)                                                      \
	int tv_wrap_##name params                                                                  \
	{                                                                                          \
		struct tv_thread *t = TV_BEGIN(name);                                              \
		struct tv_window *made = NULL;                                                     \
		struct meeting meeting;                                                            \
		uint64_t now;                                                                      \
		int rc;                                                                            \
		if (!t)                                                                            \
			return TV_NEXT(name) args;                                                 \
		tv_write(t, t->now, TV_RMA_BEGIN, 0, CALL_##name, 0);                              \
		meeting = meet(t, comm);                                                           \
		rc = TV_NEXT(name) args;                                                           \
		now = tv_now();                                                                    \
		met(t, &meeting);                                                                  \
		if (rc == MPI_SUCCESS)                                                             \
			made = tv_window_made(t, *window, comm, allocates);                        \
		if (made)                                                                          \
			note_sync(t, now, TV_RMA_CREATE, CALL_##name, made, ALL, made->allocated); \
		tv_end_at(t, CALL_##name, now);                                                    \
		return rc;                                                                         \
	}

/* MPI_X, and its form for large counts. */
#define CREATE_BOTH(name, allocates, PARAMS, args)   \
	CREATE(name, allocates, (PARAMS(int)), args) \
	CREATE(name##_c, allocates, (PARAMS(MPI_Aint)), args)

#define PARAMS_CREATE(unit) \
	void *base, MPI_Aint size, unit disp, MPI_Info info, MPI_Comm comm, MPI_Win *window
#define PARAMS_ALLOCATE(unit) \
	MPI_Aint size, unit disp, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *window

CREATE_BOTH(Win_create, false, PARAMS_CREATE, (base, size, disp, info, comm, window))
CREATE_BOTH(Win_allocate, true, PARAMS_ALLOCATE, (size, disp, info, comm, base, window))
CREATE_BOTH(Win_allocate_shared, true, PARAMS_ALLOCATE, (size, disp, info, comm, base, window))
CREATE(Win_create_dynamic, false, (MPI_Info info, MPI_Comm comm, MPI_Win *window),
       (info, comm, window))

int tv_wrap_Win_free(MPI_Win *handle)
{
	struct tv_thread *t = TV_BEGIN(Win_free);
	struct tv_window *window;
	struct meeting meeting;
	uint64_t now;
	int rc;

	if (!t)
		return TV_NEXT(Win_free)(handle);
	window = tv_window_take(*handle);
	if (window)
		tv_write(t, t->now, TV_RMA_BEGIN, 0, CALL_Win_free, 0);
	meeting = meet_at(t, window);
	rc = TV_NEXT(Win_free)(handle);
	now = tv_now();
	met(t, &meeting);
	if (window && rc == MPI_SUCCESS)
		note_sync(t, now, TV_RMA_FREE, CALL_Win_free, window, ALL, window->allocated);
	free(window);
	tv_end_at(t, CALL_Win_free, now);
	return rc;
}

int tv_wrap_Win_set_name(MPI_Win win, const char *name)
{
	struct tv_thread *t = TV_BEGIN(Win_set_name);
	const struct tv_window *window = t ? tv_window_find(win) : NULL;
	const int rc = TV_NEXT(Win_set_name)(win, name);

	if (window && rc == MPI_SUCCESS)
		tv_window_named(t, window, name);
	if (t)
		tv_end(t, CALL_Win_set_name);
	return rc;
}

/* ---- synchronisation ---- */

/* SYNC(name, parameters, arguments, what it is, target, what the record's id says); the last three
 * are evaluated after the call. */
#define SYNC(name, params, args, what, target, id) \
	SYNC_AFTER(name, params, args, (void)0, what, target, id)
/* With what is done right before the call. */
#define SYNC_AFTER(name, params, args, before, what, target, id)                  \
	int tv_wrap_##name params                                                 \
	{                                                                         \
		struct tv_thread *t = TV_BEGIN(name);                             \
		struct tv_window *window;                                         \
		struct meeting meeting;                                           \
		uint64_t now;                                                     \
		int rc;                                                           \
		if (!t)                                                           \
			return TV_NEXT(name) args;                                \
		window = tv_window_find(win);                                     \
		if (window && CALL_##name == CALL_Win_fence)                      \
			tv_write(t, t->now, TV_RMA_BEGIN, 0, CALL_##name, 0);     \
		before;                                                           \
		meeting = sync_begins(t, CALL_##name, window);                    \
		rc = TV_NEXT(name) args;                                          \
		now = tv_now();                                                   \
		if (TV_UNLIKELY(tv.virtual_time) && window && rc == MPI_SUCCESS)  \
			sync_ends(t, what, window, &meeting);                     \
		if (window && rc == MPI_SUCCESS)                                  \
			note_sync(t, now, what, CALL_##name, window, target, id); \
		tv_end_at(t, CALL_##name, now);                                   \
		return rc;                                                        \
	}

static void post(struct tv_thread *t, struct tv_window *window, MPI_Group group)
{
	window->posted = tv_group_find(t, group);
	if (TV_UNLIKELY(tv.virtual_time))
		tell(t, window, TV_CARRY_POST, window->posted);
}

SYNC(Win_fence, (int assert, MPI_Win win), (assert, win), TV_RMA_FENCE, ALL, 0)

SYNC_AFTER(Win_post, (MPI_Group group, int assert, MPI_Win win), (group, assert, win),
	   if (window) post(t, window, group), TV_RMA_POST, ALL, window->posted)
SYNC(Win_start, (MPI_Group group, int assert, MPI_Win win), (group, assert, win), TV_RMA_START, ALL,
     window->started = tv_group_find(t, group))
SYNC(Win_complete, (MPI_Win win), (win), TV_RMA_EPOCH_COMPLETE, ALL, window->started)
SYNC(Win_wait, (MPI_Win win), (win), TV_RMA_WAIT, ALL, window->posted)
SYNC(Win_test, (MPI_Win win, int *flag), (win, flag), *flag ? TV_RMA_WAIT : TV_RMA_NOTHING, ALL,
     window->posted)

SYNC(Win_lock, (int type, int rank, int assert, MPI_Win win), (type, rank, assert, win),
     TV_RMA_LOCK, rank, type == MPI_LOCK_SHARED)
SYNC(Win_lock_all, (int assert, MPI_Win win), (assert, win), TV_RMA_LOCK, ALL, 1)
SYNC(Win_unlock, (int rank, MPI_Win win), (rank, win), TV_RMA_UNLOCK, rank, 0)
SYNC(Win_unlock_all, (MPI_Win win), (win), TV_RMA_UNLOCK, ALL, 0)
SYNC(Win_flush, (int rank, MPI_Win win), (rank, win), TV_RMA_FLUSH, rank, 0)
SYNC(Win_flush_all, (MPI_Win win), (win), TV_RMA_FLUSH, ALL, 0)
SYNC(Win_flush_local, (int rank, MPI_Win win), (rank, win), TV_RMA_FLUSH_LOCAL, rank, 0)
SYNC(Win_flush_local_all, (MPI_Win win), (win), TV_RMA_FLUSH_LOCAL, ALL, 0)

/* ---- accesses ---- */

static void note_access(struct tv_thread *t, enum tv_rma_what what, uint32_t call, MPI_Win win,
			int target, uint64_t sent, uint64_t received)
{
	const struct tv_window *window = tv_window_find(win);

	if (!window || target < 0)
		return;
	t->with.peer = target;
	t->with.comm = window->comm->id;
	t->with.sent = sent;
	t->with.received = received;
	tv_write_rma(t, t->now, what, call, 0, window->id, target, sent, received);
}

static void note_request(struct tv_thread *t, enum tv_rma_what what, uint32_t call, MPI_Win win,
			 int target, uint64_t sent, uint64_t received, MPI_Request request)
{
	const struct tv_window *window = tv_window_find(win);

	if (window && target >= 0)
		tv_request_add(t, request,
			       (struct tv_request){ .kind = TV_REQUEST_ACCESS,
						    .comm = window->comm,
						    .bytes = sent,
						    .received = received,
						    .peer = target,
						    .mode = (uint8_t)what,
						    .window = window->id,
						    .call = (uint16_t)call },
			       t->now);
}

/* ACCESS(name, parameters, arguments, what it is, bytes sent, bytes received) */
#define ACCESS(name, params, args, what, sent, received)                                \
	int tv_wrap_##name params                                                       \
	{                                                                               \
		struct tv_thread *t = TV_BEGIN(name);                                   \
		int rc;                                                                 \
		if (t)                                                                  \
			note_access(t, what, CALL_##name, win, target, sent, received); \
		rc = TV_NEXT(name) args;                                                \
		if (t)                                                                  \
			tv_end(t, CALL_##name);                                         \
		return rc;                                                              \
	}

#define REQUESTED(name, params, args, what, sent, received)                                        \
	int tv_wrap_##name params                                                                  \
	{                                                                                          \
		struct tv_thread *t = TV_BEGIN(name);                                              \
		const int rc = TV_NEXT(name) args;                                                 \
		if (t && rc == MPI_SUCCESS)                                                        \
			note_request(t, what, CALL_##name, win, target, sent, received, *request); \
		if (t)                                                                             \
			tv_end(t, CALL_##name);                                                    \
		return rc;                                                                         \
	}

#define BARE(...) __VA_ARGS__

/* MPI_X and MPI_RX, and their forms for large counts: PARAMS(type of counts). */
#define ACCESSES(name, rname, PARAMS, args, ...)                                                  \
	ACCESS(name, (PARAMS(int)), args, __VA_ARGS__)                                            \
	ACCESS(name##_c, (PARAMS(MPI_Count)), args, __VA_ARGS__)                                  \
	REQUESTED(rname, (PARAMS(int), MPI_Request * request), (BARE args, request), __VA_ARGS__) \
	REQUESTED(rname##_c, (PARAMS(MPI_Count), MPI_Request * request), (BARE args, request),    \
		  __VA_ARGS__)

#define AT_TARGET(number) int target, MPI_Aint at, number at_count, MPI_Datatype at_type

#define PARAMS_PUT(number) \
	const void *from, number count, MPI_Datatype type, AT_TARGET(number), MPI_Win win
#define PARAMS_GET(number) void *to, number count, MPI_Datatype type, AT_TARGET(number), MPI_Win win
#define PARAMS_ACCUMULATE(number) \
	const void *from, number count, MPI_Datatype type, AT_TARGET(number), MPI_Op op, MPI_Win win
#define PARAMS_GET_ACCUMULATE(number)                                                 \
	const void *from, number count, MPI_Datatype type, void *to, number to_count, \
		MPI_Datatype to_type, AT_TARGET(number), MPI_Op op, MPI_Win win

ACCESSES(Put, Rput, PARAMS_PUT, (from, count, type, target, at, at_count, at_type, win), TV_RMA_PUT,
	 tv_bytes(count, type), 0)
ACCESSES(Get, Rget, PARAMS_GET, (to, count, type, target, at, at_count, at_type, win), TV_RMA_GET,
	 0, tv_bytes(count, type))
ACCESSES(Accumulate, Raccumulate, PARAMS_ACCUMULATE,
	 (from, count, type, target, at, at_count, at_type, op, win), TV_RMA_ACCUMULATE,
	 tv_bytes(count, type), 0)
ACCESSES(Get_accumulate, Rget_accumulate, PARAMS_GET_ACCUMULATE,
	 (from, count, type, to, to_count, to_type, target, at, at_count, at_type, op, win),
	 TV_RMA_FETCH_AND_ACCUMULATE, op == MPI_NO_OP ? 0 : tv_bytes(count, type),
	 tv_bytes(to_count, to_type))

ACCESS(Fetch_and_op,
       (const void *from, void *to, MPI_Datatype type, int target, MPI_Aint at, MPI_Op op,
	MPI_Win win),
       (from, to, type, target, at, op, win), TV_RMA_FETCH_AND_ACCUMULATE,
       op == MPI_NO_OP ? 0 : tv_bytes(1, type), tv_bytes(1, type))
ACCESS(Compare_and_swap,
       (const void *from, const void *compared, void *to, MPI_Datatype type, int target,
	MPI_Aint at, MPI_Win win),
       (from, compared, to, type, target, at, win), TV_RMA_COMPARE_AND_SWAP, tv_bytes(2, type),
       tv_bytes(1, type))
