/* any_source: the one place where a receive or probe from any source is given a source: in a
 * replay the recorded one (choices.h), or where the order of virtual times is kept the one that is
 * first in it (hold_source.h). The tag stays the program's, so that all that MPI promises of the
 * order of messages remains true.
 *
 *	const int given = source;
 *	source = tv_any_source(t, CALL_Recv, known, source, tag, comm);
 *	rc = TV_NEXT(Recv)(..., source, tag, comm, status);
 *	if (rc == MPI_SUCCESS)
 *		tv_any_took(t, CALL_Recv, known, given, status);
 */
#pragma once

#include "capture/lib/calling.h"
#include "capture/lib/choices.h"
#include "capture/lib/hold.h"
#include "capture/lib/mpi/comms.h"

/* From any source. Of a call that waits for a message anyway; and of one that does not, or must not
 * yet. */
int tv_choose_waiting(struct tv_thread *t, uint32_t call, const struct tv_comm *known, int tag,
		      MPI_Comm comm);
int tv_choose_started(struct tv_thread *t, uint32_t call, const struct tv_comm *known, int tag,
		      MPI_Comm comm);
/* The recorded source, once its message is there; MPI_ANY_SOURCE: no message of it can come, and
 * the rank has departed. `asks`: the call could say no. */
int tv_wait_recorded(struct tv_thread *t, const struct tv_comm *known, int source, int tag,
		     MPI_Comm comm, bool asks);

static inline int tv_any_source(struct tv_thread *t, uint32_t call, const struct tv_comm *known,
				int source, int tag, MPI_Comm comm)
{
	if (TV_LIKELY(source != MPI_ANY_SOURCE) || TV_LIKELY(!tv.replays && !tv.line))
		return source;
	return tv_choose_waiting(t, call, known, tag, comm);
}

static inline int tv_any_source_started(struct tv_thread *t, uint32_t call,
					const struct tv_comm *known, int source, int tag,
					MPI_Comm comm)
{
	if (TV_LIKELY(source != MPI_ANY_SOURCE) || TV_LIKELY(!tv.replays))
		return source;
	return tv_choose_started(t, call, known, tag, comm);
}

static inline void tv_any_took(struct tv_thread *t, uint32_t call, const struct tv_comm *known,
			       int given, const MPI_Status *status)
{
	if (TV_UNLIKELY(given == MPI_ANY_SOURCE) && tv.choices)
		tv_order_took(t, call, known, status->MPI_SOURCE, status->MPI_TAG);
}

/* MPI chose, where `source` is any. */
static inline void tv_any_compare(struct tv_thread *t, int source, int tag,
				  const struct tv_comm *known, const MPI_Status *status)
{
	if (TV_UNLIKELY(tv.virtual_time) && source == MPI_ANY_SOURCE && status->MPI_SOURCE >= 0)
		tv_hold_compare(t, known, tag, status->MPI_SOURCE);
}

static inline uint32_t tv_wildcards(int source, int tag)
{
	return (source == MPI_ANY_SOURCE ? (uint32_t)TV_ANY_SOURCE : 0) |
	       (tag == MPI_ANY_TAG ? (uint32_t)TV_ANY_TAG : 0);
}

/* Before a call that waits for a message: which one, should it never return. */
static inline const struct tv_comm *tv_await_any(struct tv_thread *t, int source, int tag,
						 MPI_Comm comm)
{
	const struct tv_comm *known = tv_comm(t, comm);

	tv_await(t, tv_peer(source), tag, known->id, tv_wildcards(source, tag));
	tv_calling_message(t, TV_CALLING_RECEIVE, tv_peer(source), tag, known->id,
			   tv_wildcards(source, tag));
	return known;
}
