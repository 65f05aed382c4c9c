/* wrap: the frames that wrappers of MPI functions share. `before` and `after` are statements, run
 * only if the call is recorded; they know t (the thread), after the call also rc (its result). */
#pragma once

#include "capture/lib/mpi/pmpi.h"

#define TV_WRAP(name, params, args, before, after)    \
	int tv_wrap_##name params                     \
	{                                             \
		struct tv_thread *t = TV_BEGIN(name); \
		int rc;                               \
		if (t) {                              \
			before;                       \
		}                                     \
		rc = TV_NEXT(name) args;              \
		if (t) {                              \
			after;                        \
			tv_end(t, CALL_##name);       \
		}                                     \
		return rc;                            \
	}

/* The same of a call with the parameter `status`, which is filled even if the program ignores it.
 * `after` also knows now, the time of the call's end; what `before` declares is known to it. */
#define TV_WRAP_STATUS(name, params, args, status, before, after) \
	int tv_wrap_##name params                                 \
	{                                                         \
		struct tv_thread *t = TV_BEGIN(name);             \
		MPI_Status own;                                   \
		int rc;                                           \
		if (!t)                                           \
			return TV_NEXT(name) args;                \
		if (status == MPI_STATUS_IGNORE)                  \
			status = &own;                            \
		before;                                           \
		rc = TV_NEXT(name) args;                          \
		const uint64_t now = tv_returned(t);              \
		after;                                            \
		tv_end_at(t, CALL_##name, now);                   \
		return rc;                                        \
	}

#define TV_NOTHING (void)0
