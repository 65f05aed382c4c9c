/* Point-to-point messages: blocking ones are written around the call, nonblocking ones handed to
 * inflight.c. */
#include <stdlib.h>

#include "capture/lib/calling.h"
#include "capture/lib/hold.h"
#include "capture/lib/mpi/any_source.h"
#include "capture/lib/mpi/deferred.h"
#include "capture/lib/mpi/forced.h"
#include "capture/lib/mpi/hold_source.h"
#include "capture/lib/mpi/inflight.h"
#include "capture/lib/mpi/isendrecv.h"
#include "capture/lib/mpi/persistent.h"
#include "capture/lib/mpi/refused.h"
#include "capture/lib/mpi/wrap.h"
#include "capture/lib/open.h"
#include "capture/lib/own_line.h"
#include "capture/lib/replay_board.h"

/* The call under way sends a message: for readers and partners, before it leaves. */
static __attribute__((noinline)) void tell_send(struct tv_thread *t, const struct tv_comm *known,
						int dest, int tag, uint64_t bytes, uint32_t mode)
{
	tv_calling_send(t, dest, tag, known->id, mode);
	tv_tell_send(t, known, dest, tag);
	if (tv.board)
		tv_board_sends(tv_comm_world_rank(known, dest));
	if (tv.line && tv_line_tells(t))
		tv_line_sends(t, known, dest, tag, tv_virtual_waits(bytes, mode));
}

/* A blocking call's send, at its start. */
static void note_send(struct tv_thread *t, uint32_t mode, MPI_Count count, MPI_Datatype type,
		      int dest, int tag, MPI_Comm comm)
{
	const uint64_t bytes = tv_bytes(count, type);
	const struct tv_comm *known = tv_comm(t, comm);

	if (dest < 0)
		return;
	tv_with_sent(t, dest, known->id, bytes);
	/* Statistics carry times, and so does what has a line. */
	if (TV_UNLIKELY(tv.carries || tv.board))
		tell_send(t, known, dest, tag, bytes, mode);
	tv_write_message(t, t->now, TV_SEND, mode, 0, dest, tag, bytes, known->id);
}

/* A blocking call's receive, at its end; `post`: from whom it is was not known before. */
static void note_recv(struct tv_thread *t, const MPI_Status *status, const struct tv_comm *comm,
		      uint32_t flags, bool post, uint64_t time)
{
	const uint64_t bytes = tv_status_bytes(status);

	if (status->MPI_SOURCE < 0)
		return;
	tv_with_received(t, status->MPI_SOURCE, comm->id, bytes);
	if (TV_UNLIKELY(tv.board != NULL))
		tv_board_took(tv_comm_world_rank(comm, status->MPI_SOURCE));
	tv_learn_sender(t, comm, status->MPI_SOURCE, status->MPI_TAG, bytes);
	if (post)
		tv_tell_post(t, comm, status->MPI_SOURCE, status->MPI_TAG);
	tv_write_message(t, time, TV_RECV, flags, 0, status->MPI_SOURCE, status->MPI_TAG,
			 flags & TV_NO_BYTES ? 0 : bytes, comm->id);
}

/* The same for a call that also sent, maybe to another rank: its time counts as receiving; sending
 * has its own row. */
static void note_both(struct tv_thread *t, uint32_t call, const MPI_Status *status,
		      const struct tv_comm *comm, uint32_t flags, bool post, uint64_t time)
{
	const struct tv_with sent = t->with;
	const bool both = sent.flags & TV_STAT_SENT && status->MPI_SOURCE >= 0;

	if (both && status->MPI_SOURCE != sent.peer) {
		tv_account_send(t, call, sent.peer, sent.comm, sent.sent);
		t->with = (struct tv_with){ .peer = -1,
					    .partner_ready = sent.partner_ready,
					    .children = sent.children,
					    .untold = sent.untold };
	}
	note_recv(t, status, comm, flags, post && flags & TV_ANY_SOURCE, time);
}

/* A message longer than its buffer has arrived all the same; its send knows how long it is. */
static bool arrived(int rc)
{
	return TV_LIKELY(rc == MPI_SUCCESS) || tv_outcome_of(rc) == TV_TRUNCATED;
}

static uint32_t unknown_bytes(int rc)
{
	return TV_LIKELY(rc == MPI_SUCCESS) ? 0u : (uint32_t)TV_NO_BYTES;
}

/* A receive goes on into MPI. */
static void post(struct tv_thread *t, int source, int tag, const struct tv_comm *known)
{
	tv_tell_post(t, known, tv_peer(source), tag);
	if (TV_UNLIKELY(tv.line) && source != MPI_PROC_NULL && tv_line_tells(t))
		tv_line_receives(t, known, tv_peer(source), tag);
}

/* After a blocking send that failed, or where times are carried. */
static __attribute__((noinline)) void learn_sent(struct tv_thread *t, uint32_t call, uint32_t mode,
						 int dest, int tag, MPI_Comm comm, uint64_t begun,
						 int rc)
{
	if (!tv_refused(t, call, begun, rc) && tv.carries)
		tv_learn_receiver(t, tv_comm(t, comm), dest, tag, t->with.sent, mode);
}

#define SEND_OF(name, mode, number)                                                             \
	int tv_wrap_##name(const void *buf, number count, MPI_Datatype type, int dest, int tag, \
			   MPI_Comm comm)                                                       \
	{                                                                                       \
		struct tv_thread *t = TV_BEGIN(name);                                           \
		const uint64_t begun = t ? t->now : 0;                                          \
		uint64_t now;                                                                   \
		int rc;                                                                         \
		if (!t)                                                                         \
			return TV_NEXT(name)(buf, count, type, dest, tag, comm);                \
		note_send(t, mode, count, type, dest, tag, comm);                               \
		rc = TV_NEXT(name)(buf, count, type, dest, tag, comm);                          \
		now = tv_returned(t);                                                           \
		if (TV_UNLIKELY(rc != MPI_SUCCESS || tv.carries))                               \
			learn_sent(t, CALL_##name, mode, dest, tag, comm, begun, rc);           \
		tv_end_at(t, CALL_##name, now);                                                 \
		return rc;                                                                      \
	}

/* MPI_X, and its form for large counts. */
#define SEND(name, mode)         \
	SEND_OF(name, mode, int) \
	SEND_OF(name##_c, mode, MPI_Count)

SEND(Send, 0)
SEND(Bsend, 1)
SEND(Ssend, 2)
SEND(Rsend, 3)

/* START(name, buffer, partner, before the call, fields of tv_start). The record has the time of
 * the call's start: from then on the message may leave. */
#define START_OF(name, number, buffer, partner, before, ...)                                       \
	static const struct tv_start start_##name = { .call = CALL_##name, __VA_ARGS__ };          \
	TV_WRAP(name,                                                                              \
		(buffer buf, number count, MPI_Datatype type, int partner, int tag, MPI_Comm comm, \
		 MPI_Request *request),                                                            \
		(buf, count, type, partner, tag, comm, request), before, {                         \
			if (!tv_refused(t, CALL_##name, t->now, rc) && rc == MPI_SUCCESS)          \
				tv_request_message(t, *request, &start_##name, tv_comm(t, comm),   \
						   tv_bytes(count, type), tv_peer(partner), tag);  \
		})

#define START(name, ...)                 \
	START_OF(name, int, __VA_ARGS__) \
	START_OF(name##_c, MPI_Count, __VA_ARGS__)

#define ISEND(name, way) \
	START(name, const void *, dest, tv_tell_send(t, tv_comm(t, comm), dest, tag), .mode = way)
#define SEND_INIT(name, way) \
	START(name, const void *, dest, TV_NOTHING, .mode = way, .persistent = 1)

ISEND(Isend, 0)
ISEND(Ibsend, 1)
ISEND(Issend, 2)
ISEND(Irsend, 3)
SEND_INIT(Send_init, 0)
SEND_INIT(Bsend_init, 1)
SEND_INIT(Ssend_init, 2)
SEND_INIT(Rsend_init, 3)

/* One from any source asks for the one that another run took, or that it takes in virtual order, if
 * that is certain now; else it may be `later` (deferred.h). */
static int start_from(struct tv_thread *t, int source, int tag, MPI_Comm comm, bool *later)
{
	const struct tv_comm *known = tv_comm(t, comm);

	if (TV_UNLIKELY(tv.deferred != NULL) && source >= 0)
		tv_deferred_precede(t, known, tag);
	source = tv_any_source_started(t, t->call, known, source, tag, comm);
	if (TV_UNLIKELY(tv.line) && source == MPI_ANY_SOURCE)
		source = tv_deferred_source(t, known, tag, comm, later);
	if (!*later)
		tv_tell_post(t, known, tv_peer(source), tag);
	return source;
}

#define IRECV(_c, number)                                                                        \
	int tv_wrap_Irecv##_c(void *buf, number count, MPI_Datatype type, int source, int tag,   \
			      MPI_Comm comm, MPI_Request *request)                               \
	{                                                                                        \
		static const struct tv_start start = { .call = CALL_Irecv##_c, .recv = 1 };      \
		static const struct tv_start any = { .call = CALL_Irecv##_c,                     \
						     .mode = TV_ANY_SOURCE,                      \
						     .recv = 1 };                                \
		struct tv_thread *t = TV_BEGIN(Irecv##_c);                                       \
		const bool wild = source == MPI_ANY_SOURCE;                                      \
		bool later = false;                                                              \
		int rc;                                                                          \
		if (t && (TV_UNLIKELY(tv.carries) || (wild && tv.replays)))                      \
			source = start_from(t, source, tag, comm, &later);                       \
		rc = TV_UNLIKELY(later)                                                          \
			     ? tv_deferred_add(t,                                                \
					       (struct tv_deferral){                             \
						       buf, count, type, comm, tv_comm(t, comm), \
						       tag, sizeof(number) > sizeof(int) },      \
					       request)                                          \
			     : TV_NEXT(Irecv##_c)(buf, count, type, source, tag, comm, request); \
		if (t && rc == MPI_SUCCESS)                                                      \
			tv_request_message(t, *request, wild ? &any : &start, tv_comm(t, comm),  \
					   tv_bytes(count, type), tv_peer(source), tag);         \
		if (t && rc == MPI_SUCCESS && TV_UNLIKELY(wild && tv.replays) && source >= 0)    \
			tv_forced_add(t, (struct tv_forced){ *request, buf, count, type, comm,   \
							     tv_comm(t, comm), source, tag,      \
							     sizeof(number) > sizeof(int) });    \
		if (TV_UNLIKELY(later) && rc == MPI_SUCCESS)                                     \
			tv_deferred_added(*request);                                             \
		if (t)                                                                           \
			tv_end(t, CALL_Irecv##_c);                                               \
		return rc;                                                                       \
	}

IRECV(, int)
IRECV(_c, MPI_Count)

#define RECV_INIT(_c, number)                                                                      \
	int tv_wrap_Recv_init##_c(void *buf, number count, MPI_Datatype type, int source, int tag, \
				  MPI_Comm comm, MPI_Request *request)                             \
	{                                                                                          \
		static const struct tv_start start = { .call = CALL_Recv_init##_c,                 \
						       .recv = 1,                                  \
						       .persistent = 1 };                          \
		static const struct tv_start any = { .call = CALL_Recv_init##_c,                   \
						     .mode = TV_ANY_SOURCE,                        \
						     .recv = 1,                                    \
						     .persistent = 1 };                            \
		struct tv_thread *t = TV_BEGIN(Recv_init##_c);                                     \
		const int rc =                                                                     \
			TV_NEXT(Recv_init##_c)(buf, count, type, source, tag, comm, request);      \
		if (t && !tv_refused(t, CALL_Recv_init##_c, t->now, rc) && rc == MPI_SUCCESS) {    \
			tv_request_message(t, *request, source == MPI_ANY_SOURCE ? &any : &start,  \
					   tv_comm(t, comm), tv_bytes(count, type),                \
					   tv_peer(source), tag);                                  \
			if (source == MPI_ANY_SOURCE && (TV_UNLIKELY(tv.line) || tv.replays))      \
				tv_persistent_add(*request,                                        \
						  (struct tv_deferral){ buf, count, type, comm,    \
									tv_comm(t, comm), tag,     \
									sizeof(number) >           \
										sizeof(int) });    \
		}                                                                                  \
		if (t)                                                                             \
			tv_end(t, CALL_Recv_init##_c);                                             \
		return rc;                                                                         \
	}

RECV_INIT(, int)
RECV_INIT(_c, MPI_Count)

/* Held until its message is there (fore-monitor), which is then received by its handle. */
static int hold(struct tv_thread *t, int source, int tag, MPI_Comm comm, MPI_Message *message,
		MPI_Status *status)
{
	const int rc = tv_mpi.Mprobe(source, tag, comm, message, status);

	if (rc == MPI_SUCCESS)
		tv_detect(t);
	return rc;
}

/* Who sent it was known to the probe's caller; here the completion will tell. */
static void note_probed(struct tv_thread *t, uint32_t call, const struct tv_comm *comm,
			uint64_t bytes, MPI_Request request)
{
	tv_request_add(t, request,
		       (struct tv_request){ .comm = comm,
					    .bytes = bytes,
					    .peer = TV_PEER_ANYBODY,
					    .tag = MPI_ANY_TAG,
					    .recv = 1,
					    .call = (uint16_t)call },
		       t->now);
}

/* The receives of one form; counts are of the type `number`. */
#define RECEIVE(_c, number)                                                                        \
	int tv_wrap_Recv##_c(void *buf, number count, MPI_Datatype type, int source, int tag,      \
			     MPI_Comm comm, MPI_Status *status)                                    \
	{                                                                                          \
		struct tv_thread *t = TV_BEGIN(Recv##_c);                                          \
		MPI_Status own;                                                                    \
		int rc;                                                                            \
		if (!t)                                                                            \
			return TV_NEXT(Recv##_c)(buf, count, type, source, tag, comm, status);     \
		if (status == MPI_STATUS_IGNORE)                                                   \
			status = &own;                                                             \
		const int given = source;                                                          \
		const uint64_t begun = t->now;                                                     \
		const struct tv_comm *known = tv_await_any(t, source, tag, comm);                  \
		source = tv_any_source(t, CALL_Recv##_c, known, source, tag, comm);                \
		post(t, source, tag, known);                                                       \
		if (TV_UNLIKELY(tv.board != NULL))                                                 \
			tv_board_awaits(t, tv_comm_world_rank(known, source));                     \
		if (TV_UNLIKELY(tv.fore_monitor) && !tv_carry_reaches_peer(known, source)) {       \
			MPI_Message message;                                                       \
			rc = hold(t, source, tag, comm, &message, status);                         \
			if (rc == MPI_SUCCESS)                                                     \
				rc = tv_mpi.Mrecv##_c(buf, count, type, &message, status);         \
		} else {                                                                           \
			rc = TV_NEXT(Recv##_c)(buf, count, type, source, tag, comm, status);       \
		}                                                                                  \
		const uint64_t now = tv_returned(t);                                               \
		if (!tv_refused(t, CALL_Recv##_c, begun, rc) && arrived(rc)) {                     \
			tv_any_compare(t, source, tag, known, status);                             \
			tv_any_took(t, CALL_Recv##_c, known, given, status);                       \
			note_recv(t, status, known, tv_wildcards(given, tag) | unknown_bytes(rc),  \
				  source == MPI_ANY_SOURCE, now);                                  \
		}                                                                                  \
		tv_end_at(t, CALL_Recv##_c, now);                                                  \
		return rc;                                                                         \
	}                                                                                          \
	/* From any source, in virtual order: its send must not wait for that. */                  \
	static int exchange##_c(struct tv_thread *t, uint32_t call, const void *sendbuf,           \
				number sendcount, MPI_Datatype sendtype, int dest, int sendtag,    \
				void *recvbuf, number recvcount, MPI_Datatype recvtype,            \
				int *source, int recvtag, MPI_Comm comm,                           \
				const struct tv_comm *known, MPI_Status *status)                   \
	{                                                                                          \
		MPI_Request sending;                                                               \
		int rc = tv_mpi.Isend##_c(sendbuf, sendcount, sendtype, dest, sendtag, comm,       \
					  &sending);                                               \
		if (rc != MPI_SUCCESS)                                                             \
			return rc;                                                                 \
		*source = tv_any_source(t, call, known, MPI_ANY_SOURCE, recvtag, comm);            \
		post(t, *source, recvtag, known);                                                  \
		rc = tv_mpi.Recv##_c(recvbuf, recvcount, recvtype, *source, recvtag, comm,         \
				     status);                                                      \
		const int sent = tv_mpi.Wait(&sending, MPI_STATUS_IGNORE);                         \
		return rc == MPI_SUCCESS ? sent : rc;                                              \
	}                                                                                          \
	int tv_wrap_Sendrecv##_c(const void *sendbuf, number sendcount, MPI_Datatype sendtype,     \
				 int dest, int sendtag, void *recvbuf, number recvcount,           \
				 MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,    \
				 MPI_Status *status)                                               \
	{                                                                                          \
		struct tv_thread *t = TV_BEGIN(Sendrecv##_c);                                      \
		MPI_Status own;                                                                    \
		int rc;                                                                            \
		if (!t)                                                                            \
			return TV_NEXT(Sendrecv##_c)(sendbuf, sendcount, sendtype, dest, sendtag,  \
						     recvbuf, recvcount, recvtype, source,         \
						     recvtag, comm, status);                       \
		if (status == MPI_STATUS_IGNORE)                                                   \
			status = &own;                                                             \
		const int given = source;                                                          \
		const uint64_t begun = t->now;                                                     \
		const struct tv_comm *known = tv_await_any(t, source, recvtag, comm);              \
		const bool held = source == MPI_ANY_SOURCE && (tv.line || tv.replays);             \
		/* Told before the line says that the rank waits. */                               \
		note_send(t, 0, sendcount, sendtype, dest, sendtag, comm);                         \
		if (!held)                                                                         \
			post(t, source, recvtag, known);                                           \
		rc = held ? exchange##_c(t, CALL_Sendrecv##_c, sendbuf, sendcount, sendtype, dest, \
					 sendtag, recvbuf, recvcount, recvtype, &source, recvtag,  \
					 comm, known, status)                                      \
			  : TV_NEXT(Sendrecv##_c)(sendbuf, sendcount, sendtype, dest, sendtag,     \
						  recvbuf, recvcount, recvtype, source, recvtag,   \
						  comm, status);                                   \
		const uint64_t now = tv_returned(t);                                               \
		BOTH_END(Sendrecv##_c, source == MPI_ANY_SOURCE)                                   \
		tv_end_at(t, CALL_Sendrecv##_c, now);                                              \
		return rc;                                                                         \
	}                                                                                          \
	int tv_wrap_Sendrecv_replace##_c(void *buf, number count, MPI_Datatype type, int dest,     \
					 int sendtag, int source, int recvtag, MPI_Comm comm,      \
					 MPI_Status *status)                                       \
	{                                                                                          \
		struct tv_thread *t = TV_BEGIN(Sendrecv_replace##_c);                              \
		MPI_Status own;                                                                    \
		void *sent = NULL;                                                                 \
		int rc;                                                                            \
		if (!t)                                                                            \
			return TV_NEXT(Sendrecv_replace##_c)(buf, count, type, dest, sendtag,      \
							     source, recvtag, comm, status);       \
		if (status == MPI_STATUS_IGNORE)                                                   \
			status = &own;                                                             \
		if (source == MPI_ANY_SOURCE && (tv.line || tv.replays))                           \
			sent = tv_exchange_copy(buf, count, type);                                 \
		const int given = source;                                                          \
		const uint64_t begun = t->now;                                                     \
		const struct tv_comm *known = tv_await_any(t, source, recvtag, comm);              \
		if (TV_UNLIKELY(tv.line) && source == MPI_ANY_SOURCE && !sent)                     \
			tv_hold_cannot(TV_UNCONTROLLED_CALL);                                      \
		note_send(t, 0, count, type, dest, sendtag, comm);                                 \
		if (!sent)                                                                         \
			post(t, source, recvtag, known);                                           \
		rc = sent ? exchange##_c(t, CALL_Sendrecv_replace##_c, sent, count, type, dest,    \
					 sendtag, buf, count, type, &source, recvtag, comm, known, \
					 status)                                                   \
			  : TV_NEXT(Sendrecv_replace##_c)(buf, count, type, dest, sendtag, source, \
							  recvtag, comm, status);                  \
		const uint64_t now = tv_returned(t);                                               \
		free(sent);                                                                        \
		BOTH_END(Sendrecv_replace##_c, source == MPI_ANY_SOURCE)                           \
		tv_end_at(t, CALL_Sendrecv_replace##_c, now);                                      \
		return rc;                                                                         \
	}                                                                                          \
	TV_WRAP_STATUS(Mrecv##_c,                                                                  \
		       (void *buf, number count, MPI_Datatype type, MPI_Message *message,          \
			MPI_Status *status),                                                       \
		       (buf, count, type, message, status), status,                                \
		       const struct tv_comm *comm = tv_message_take(t, *message), {                \
			       if (arrived(rc))                                                    \
				       note_recv(t, status, comm,                                  \
						 TV_ANY_SOURCE | unknown_bytes(rc), true, now);    \
		       })                                                                          \
	int tv_wrap_Imrecv##_c(void *buf, number count, MPI_Datatype type, MPI_Message *message,   \
			       MPI_Request *request)                                               \
	{                                                                                          \
		struct tv_thread *t = TV_BEGIN(Imrecv##_c);                                        \
		const bool none = *message == MPI_MESSAGE_NO_PROC;                                 \
		const struct tv_comm *comm = t ? tv_message_take(t, *message) : NULL;              \
		const int rc = TV_NEXT(Imrecv##_c)(buf, count, type, message, request);            \
		if (t && rc == MPI_SUCCESS && !none)                                               \
			note_probed(t, CALL_Imrecv##_c, comm, tv_bytes(count, type), *request);    \
		if (t)                                                                             \
			tv_end(t, CALL_Imrecv##_c);                                                \
		return rc;                                                                         \
	}

#define BOTH_END(name, post)                                                                    \
	{                                                                                       \
		const bool refused = tv_refused(t, CALL_##name, begun, rc);                     \
		if (!refused)                                                                   \
			tv_learn_receiver(t, known, dest, sendtag, t->with.sent, 0);            \
		if (!refused && arrived(rc)) {                                                  \
			tv_any_compare(t, source, recvtag, known, status);                      \
			tv_any_took(t, CALL_##name, known, given, status);                      \
			note_both(t, CALL_##name, status, known,                                \
				  tv_wildcards(given, recvtag) | unknown_bytes(rc), post, now); \
		}                                                                               \
	}

RECEIVE(, int)
RECEIVE(_c, MPI_Count)

/* ---- one request for a send and a receive ---- */

static void exchange_begin(struct tv_thread *t, int dest, int sendtag, int source, int recvtag,
			   MPI_Comm comm)
{
	const struct tv_comm *known = tv_comm(t, comm);

	if (TV_UNLIKELY(tv.line) && source == MPI_ANY_SOURCE)
		tv_hold_cannot(TV_UNCONTROLLED_CALL);
	if (TV_UNLIKELY(tv.deferred != NULL) && source != MPI_PROC_NULL)
		tv_deferred_precede(t, known, recvtag);
	tv_tell_send(t, known, dest, sendtag);
	tv_tell_post(t, known, tv_peer(source), recvtag);
}

/* Its receive is from any source, and goes to MPI apart from its send (exchange.h). */
static bool is_apart(const struct tv_thread *t, int source, MPI_Count count, MPI_Datatype type)
{
	return t && source == MPI_ANY_SOURCE && (TV_UNLIKELY(tv.line) || tv.replays) && !tv.multi &&
	       tv_isendrecv_is_small(count, type);
}

static int receive_apart(struct tv_thread *t, struct tv_request request,
			 const struct tv_deferral *what, int dest, int sendtag, MPI_Request *handle)
{
	bool later = false;
	const int source = start_from(t, MPI_ANY_SOURCE, what->tag, what->comm, &later);
	int rc;

	if (later)
		rc = tv_deferred_add(t, *what, handle);
	else if (what->large)
		rc = tv_mpi.Irecv_c(what->buf, what->count, what->type, source, what->tag,
				    what->comm, handle);
	else
		rc = tv_mpi.Irecv(what->buf, (int)what->count, what->type, source, what->tag,
				  what->comm, handle);
	if (rc != MPI_SUCCESS)
		return rc;
	request.peer = tv_peer(source);
	tv_request_exchange(t, *handle, request, tv_peer(dest), sendtag);
	if (later)
		tv_deferred_added(*handle);
	else if (tv.replays && source >= 0)
		tv_forced_add(t, (struct tv_forced){ *handle, what->buf, what->count, what->type,
						     what->comm, what->known, source, what->tag,
						     what->large });
	return MPI_SUCCESS;
}

/* EXCHANGE(name, counts, parameters, arguments, what it sends, what it receives): each a buffer, a
 * count, a type */
#define EXCHANGE(name, number, params, args, sends, sent, sendtype, buffer, count, type)           \
	int tv_wrap_##name params                                                                  \
	{                                                                                          \
		const bool large = sizeof(number) > sizeof(int);                                   \
		struct tv_thread *t = TV_BEGIN(name);                                              \
		struct tv_request started = { .recv = 1, .call = CALL_##name };                    \
		int rc;                                                                            \
		if (!t)                                                                            \
			return TV_NEXT(name) args;                                                 \
		started.comm = tv_comm(t, comm);                                                   \
		started.bytes = tv_bytes(sent, sendtype);                                          \
		started.tag = recvtag;                                                             \
		if (is_apart(t, source, sent, sendtype)) {                                         \
			const struct tv_deferral what = { buffer,       count,   type, comm,       \
							  started.comm, recvtag, large };          \
			started.mode = TV_ANY_SOURCE;                                              \
			tv_tell_send(t, started.comm, dest, sendtag);                              \
			rc = tv_isendrecv_send(sends, sent, sendtype, dest, sendtag, comm, large); \
			if (rc == MPI_SUCCESS)                                                     \
				rc = receive_apart(t, started, &what, dest, sendtag, request);     \
			tv_end(t, CALL_##name);                                                    \
			return rc;                                                                 \
		}                                                                                  \
		exchange_begin(t, dest, sendtag, source, recvtag, comm);                           \
		rc = TV_NEXT(name) args;                                                           \
		started.peer = tv_peer(source);                                                    \
		started.exchange = 1;                                                              \
		if (rc == MPI_SUCCESS)                                                             \
			tv_request_exchange(t, *request, started, tv_peer(dest), sendtag);         \
		tv_end(t, CALL_##name);                                                            \
		return rc;                                                                         \
	}

#define EXCHANGES(_c, number)                                                                      \
	EXCHANGE(Isendrecv##_c, number,                                                            \
		 (const void *sendbuf, number sendcount, MPI_Datatype sendtype, int dest,          \
		  int sendtag, void *recvbuf, number recvcount, MPI_Datatype recvtype, int source, \
		  int recvtag, MPI_Comm comm, MPI_Request *request),                               \
		 (sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,       \
		  source, recvtag, comm, request),                                                 \
		 sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype)                       \
	EXCHANGE(Isendrecv_replace##_c, number,                                                    \
		 (void *buf, number count, MPI_Datatype type, int dest, int sendtag, int source,   \
		  int recvtag, MPI_Comm comm, MPI_Request *request),                               \
		 (buf, count, type, dest, sendtag, source, recvtag, comm, request), buf, count,    \
		 type, buf, count, type)

EXCHANGES(, int)
EXCHANGES(_c, MPI_Count)

/* ---- partitioned: a message of each start, which leaves when its last partition is ready ---- */

#define PARTITIONED(name, buffer, partner, ...)                                                    \
	TV_WRAP(name,                                                                              \
		(buffer buf, int partitions, MPI_Count count, MPI_Datatype type, int partner,      \
		 int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request),                     \
		(buf, partitions, count, type, partner, tag, comm, info, request), TV_NOTHING, {   \
			if (rc == MPI_SUCCESS)                                                     \
				tv_request_add(t, *request,                                        \
					       (struct tv_request){ .comm = tv_comm(t, comm),      \
								    .bytes =                       \
									    (uint64_t)partitions * \
									    tv_bytes(count, type), \
								    .peer = tv_peer(partner),      \
								    .tag = tag,                    \
								    .persistent = 1,               \
								    .call = CALL_##name,           \
								    __VA_ARGS__ },                 \
					       t->now);                                            \
		})

PARTITIONED(Psend_init, const void *, dest, .partitions = (uint32_t)partitions)
PARTITIONED(Precv_init, void *, source, .recv = 1)

TV_WRAP(Pready, (int partition, MPI_Request request), (partition, request),
	tv_request_ready(t, request, 1), TV_NOTHING)
TV_WRAP(Pready_range, (int low, int high, MPI_Request request), (low, high, request),
	tv_request_ready(t, request, high - low + 1), TV_NOTHING)
TV_WRAP(Pready_list, (int length, const int partitions[], MPI_Request request),
	(length, partitions, request), tv_request_ready(t, request, length), TV_NOTHING)
