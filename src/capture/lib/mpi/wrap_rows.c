/* The wrappers that are alike but for their parameters, made of the rows of calls.def; and those of
 * communicators that are left. */
#include <string.h>

#include "capture/lib/mpi/comms.h"
#include "capture/lib/mpi/inflight.h"
#include "capture/lib/mpi/meet.h"
#include "capture/lib/mpi/persistent.h"
#include "capture/lib/mpi/together.h"
#include "capture/lib/mpi/wrap.h"

/* ---- the kinds of rows ---- */

#define TV_WRAP_OWN(...)
#define TV_WRAP_COLL(...)
#define TV_WRAP_RMA(...)
#define TV_WRAP_TRANSFER(...)
#define TV_WRAP_TRANSFER_ALL(...)
#define TV_WRAP_STARTED(...)
#define TV_WRAP_STARTED_ALL(...)
#define TV_WRAP_FILE_ALL(...)
#define TV_WRAP_SPLIT_BEGIN(...)
#define TV_WRAP_SPLIT_END(...)

#define TV_WRAP_PLAIN(name, ...) \
	TV_WRAP(name, TV_PARAMS(__VA_ARGS__), TV_ARGUMENTS(__VA_ARGS__), TV_NOTHING, TV_NOTHING)

/* Learning of the communicator is not the call's time. `begins`: whose ranks all call it, those of
 * the communicator `of`, of the one that is made, or others. */
#define TV_WRAP_NEW_AT(made, of, begins, how, origin_, name, params, args)                    \
	int tv_wrap_##name params                                                             \
	{                                                                                     \
		struct tv_thread *t = TV_BEGIN(name);                                         \
		struct tv_origin origin = { 0 };                                              \
		struct together all;                                                          \
		struct meeting meeting;                                                       \
		uint64_t now;                                                                 \
		int rc;                                                                       \
		if (!t)                                                                       \
			return TV_NEXT(name) args;                                            \
		origin = origin_;                                                             \
		all = begins(t, CALL_##name, of);                                             \
		meeting = meet(t, of);                                                        \
		rc = TV_NEXT(name) args;                                                      \
		now = tv_now();                                                               \
		met(t, &meeting);                                                             \
		if (rc == MPI_SUCCESS)                                                        \
			how(t, origin, *made);                                                \
		tv_together_end(t, &all, rc == MPI_SUCCESS ? *made : MPI_COMM_NULL, now, rc); \
		tv_end_at(t, CALL_##name, now);                                               \
		return rc;                                                                    \
	}
#define TV_WRAP_NEW(begins, origin_, name, params, args) \
	TV_WRAP_NEW_AT(last, MPI_COMM_NULL, begins, tv_comm_made, origin_, name, params, args)
#define TV_FIRST(first, ...) first

/* Of the communicator that is the first argument. */
#define TV_WRAP_MADE(name, ...)                                                                \
	TV_WRAP_NEW_AT(last, TV_FIRST TV_ARGUMENTS(__VA_ARGS__), tv_together_on, tv_comm_made, \
		       tv_origin_on(t, TV_FIRST TV_ARGUMENTS(__VA_ARGS__)), name,              \
		       TV_PARAMS(__VA_ARGS__), TV_ARGUMENTS(__VA_ARGS__))

/* Those that meet have no communicator in common, but make those of the same members in one
 * order. */
#define TV_WRAP_MET(name, ...)                                                       \
	TV_WRAP_NEW(tv_together_others, tv_origin_tagged(t, MPI_COMM_NULL, 0), name, \
		    TV_PARAMS(__VA_ARGS__), TV_ARGUMENTS(__VA_ARGS__))

#define TV_WRAP_SPAWNED(name, ...)                                                               \
	TV_WRAP_NEW_AT(a2, MPI_COMM_NULL, tv_together_others, tv_comm_made, tv_origin_on(t, a3), \
		       name, TV_PARAMS(__VA_ARGS__), TV_ARGUMENTS(__VA_ARGS__))

#define TV_WRAP_CART(name, ...)                                                                \
	TV_WRAP_NEW_AT(last, TV_FIRST TV_ARGUMENTS(__VA_ARGS__), tv_together_on,               \
		       tv_comm_made_cart, tv_origin_on(t, TV_FIRST TV_ARGUMENTS(__VA_ARGS__)), \
		       name, TV_PARAMS(__VA_ARGS__), TV_ARGUMENTS(__VA_ARGS__))

#define TV_CALL(name, kind, ...) TV_WRAP_##kind(name, __VA_ARGS__)
#include "capture/lib/calls.def"

/* ---- the others ---- */

/* Also in what MPI calls back: the handle may come again. */
#define TV_WRAP_GONE(name)                                    \
	int tv_wrap_##name(MPI_Comm *comm)                    \
	{                                                     \
		struct tv_thread *t = TV_BEGIN(name);         \
		int rc;                                       \
		if (t || (tv.file && tv_self.nested && comm)) \
			tv_comm_gone(*comm);                  \
		if (t)                                        \
			tv_persistent_gone(*comm);            \
		rc = TV_NEXT(name)(comm);                     \
		if (t)                                        \
			tv_end(t, CALL_##name);               \
		return rc;                                    \
	}

TV_WRAP_GONE(Comm_free)
TV_WRAP_GONE(Comm_disconnect)
TV_WRAP_NEW(tv_together_made, tv_origin_tagged(t, comm, (uint32_t)tag), Comm_create_group,
	    (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *last), (comm, group, tag, last))
/* Two communicators, one on each side. */
TV_WRAP_NEW(tv_together_made, tv_origin_tagged(t, MPI_COMM_NULL, (uint32_t)tag), Intercomm_create,
	    (MPI_Comm comm, int leader, MPI_Comm peer, int other, int tag, MPI_Comm *last),
	    (comm, leader, peer, other, tag, last))
TV_WRAP_NEW(tv_together_made, tv_origin_named(t, tag), Intercomm_create_from_groups,
	    (MPI_Group own, int leader, MPI_Group far, int other, const char *tag, MPI_Info info,
	     MPI_Errhandler handler, MPI_Comm *last),
	    (own, leader, far, other, tag, info, handler, last))
/* The handle is valid when the request is complete. */
#define IDUP(name, params, args)                                                      \
	int tv_wrap_##name params                                                     \
	{                                                                             \
		struct tv_thread *t = TV_BEGIN(name);                                 \
		struct tv_origin origin;                                              \
		struct meeting meeting;                                               \
		int rc;                                                               \
		if (!t)                                                               \
			return TV_NEXT(name) args;                                    \
		origin = tv_origin_on(t, comm);                                       \
		meeting = meet(t, comm);                                              \
		rc = TV_NEXT(name) args;                                              \
		if (rc == MPI_SUCCESS)                                                \
			tv_request_add(t, *request,                                   \
				       (struct tv_request){ .kind = TV_REQUEST_COMM,  \
							    .comm = tv_comm(t, comm), \
							    .root = -1,               \
							    .bytes = origin.nth,      \
							    .made = made,             \
							    .ticket = meeting.ticket, \
							    .call = CALL_##name },    \
				       t->now);                                       \
		tv_end(t, CALL_##name);                                               \
		return rc;                                                            \
	}

IDUP(Comm_idup, (MPI_Comm comm, MPI_Comm *made, MPI_Request *request), (comm, made, request))
IDUP(Comm_idup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made, MPI_Request *request),
     (comm, info, made, request))

TV_WRAP(Comm_set_name, (MPI_Comm comm, const char *name), (comm, name), TV_NOTHING, {
	if (rc == MPI_SUCCESS)
		tv_comm_named(t, comm, name);
})
