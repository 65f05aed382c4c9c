/* Point-to-point messages: blocking ones are written around the call, nonblocking ones handed to
 * inflight.c. */
#include "capture/lib/mpi/inflight.h"
#include "capture/lib/mpi/wrap.h"
#include "capture/lib/open.h"

/* A blocking call's send, at its start. */
static void note_send(struct tv_thread *t, uint32_t mode, int count, MPI_Datatype type, int dest,
		      int tag, MPI_Comm comm)
{
	const uint64_t bytes = tv_bytes(count, type);
	const struct tv_comm *known = tv_comm(t, comm);

	if (dest < 0)
		return;
	tv_with_sent(t, dest, known->id, bytes);
	tv_tell_send(t, known, dest, tag);
	tv_write_message(t, t->now, TV_SEND, mode, 0, dest, tag, bytes, known->id);
}

/* A blocking call's receive, at its end. */
static void note_recv(struct tv_thread *t, const MPI_Status *status, const struct tv_comm *comm,
		      uint32_t flags, uint64_t time)
{
	const uint64_t bytes = tv_status_bytes(status);

	if (status->MPI_SOURCE < 0)
		return;
	tv_with_received(t, status->MPI_SOURCE, comm->id, bytes);
	tv_learn_sender(t, comm, status->MPI_SOURCE, status->MPI_TAG);
	if (flags & TV_ANY_SOURCE)
		tv_tell_post(comm, status->MPI_SOURCE, status->MPI_TAG, t->now);
	tv_write_message(t, time, TV_RECV, flags, 0, status->MPI_SOURCE, status->MPI_TAG, bytes,
			 comm->id);
}

/* The same for a call that also sent, maybe to another rank: its time counts as receiving; sending
 * has its own row. */
static void note_both(struct tv_thread *t, uint32_t call, const MPI_Status *status,
		      const struct tv_comm *comm, uint32_t flags, uint64_t time)
{
	const struct tv_with sent = t->with;
	const bool both = sent.flags & TV_STAT_SENT && status->MPI_SOURCE >= 0;

	if (both && status->MPI_SOURCE != sent.peer) {
		tv_account_send(t, call, sent.peer, sent.comm, sent.sent);
		t->with = (struct tv_with){ .peer = -1,
					    .partner_ready = sent.partner_ready,
					    .untold = sent.untold };
	}
	note_recv(t, status, comm, flags, time);
}

static uint32_t wildcards(int source, int tag)
{
	return (source == MPI_ANY_SOURCE ? (uint32_t)TV_ANY_SOURCE : 0) |
	       (tag == MPI_ANY_TAG ? (uint32_t)TV_ANY_TAG : 0);
}

/* Before a call that waits for a message: which one, should it never return. */
static const struct tv_comm *await(struct tv_thread *t, int source, int tag, MPI_Comm comm)
{
	const struct tv_comm *known = tv_comm(t, comm);

	tv_await(t, tv_peer(source), tag, known->id, wildcards(source, tag));
	return known;
}

/* The same of a call that receives it. */
static const struct tv_comm *post(struct tv_thread *t, int source, int tag, MPI_Comm comm)
{
	const struct tv_comm *known = await(t, source, tag, comm);

	tv_tell_post(known, tv_peer(source), tag, t->now);
	return known;
}

/* After a blocking send. */
static void end_send(struct tv_thread *t, uint32_t call, int dest, int tag, MPI_Comm comm)
{
	const uint64_t now = tv_now();

	if (TV_UNLIKELY(tv.statistics))
		tv_learn_receiver(t, tv_comm(t, comm), dest, tag);
	tv_end_at(t, call, now);
}

#define SEND(name, mode)                                                                     \
	int tv_wrap_##name(const void *buf, int count, MPI_Datatype type, int dest, int tag, \
			   MPI_Comm comm)                                                    \
	{                                                                                    \
		struct tv_thread *t = TV_BEGIN(name);                                        \
		int rc;                                                                      \
		if (t)                                                                       \
			note_send(t, mode, count, type, dest, tag, comm);                    \
		rc = TV_NEXT(name)(buf, count, type, dest, tag, comm);                       \
		if (t)                                                                       \
			end_send(t, CALL_##name, dest, tag, comm);                           \
		return rc;                                                                   \
	}

SEND(Send, 0)
SEND(Bsend, 1)
SEND(Ssend, 2)
SEND(Rsend, 3)

/* START(name, buffer, partner, before the call, fields of the request). The record has the time of
 * the call's start: from then on the message may leave. */
#define START(name, buffer, partner, before, ...)                                                  \
	TV_WRAP(name,                                                                              \
		(buffer buf, int count, MPI_Datatype type, int partner, int tag, MPI_Comm comm,    \
		 MPI_Request *request),                                                            \
		(buf, count, type, partner, tag, comm, request), before, {                         \
			if (rc == MPI_SUCCESS)                                                     \
				tv_request_add(t, *request,                                        \
					       (struct tv_request){ .comm = tv_comm(t, comm),      \
								    .bytes =                       \
									    tv_bytes(count, type), \
								    .peer = tv_peer(partner),      \
								    .tag = tag,                    \
								    .call = CALL_##name,           \
								    __VA_ARGS__ },                 \
					       t->now);                                            \
		})

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

START(Irecv, void *, source,
      if (TV_UNLIKELY(tv.statistics)) tv_tell_post(tv_comm(t, comm), tv_peer(source), tag, t->now),
      .recv = 1)
START(Recv_init, void *, source, TV_NOTHING, .recv = 1, .persistent = 1)

/* Held until its message is there (fore-monitor), then received. */
static int receive_held(struct tv_thread *t, void *buf, int count, MPI_Datatype type, int source,
			int tag, MPI_Comm comm, MPI_Status *status)
{
	MPI_Message message;
	const int rc = tv_mpi.Mprobe(source, tag, comm, &message, status);

	if (rc != MPI_SUCCESS)
		return rc;
	tv_detect(t);
	return tv_mpi.Mrecv(buf, count, type, &message, status);
}

int tv_wrap_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
		 MPI_Status *status)
{
	struct tv_thread *t = TV_BEGIN(Recv);
	MPI_Status own;
	int rc;

	if (!t)
		return TV_NEXT(Recv)(buf, count, type, source, tag, comm, status);
	if (status == MPI_STATUS_IGNORE)
		status = &own;
	const struct tv_comm *known = post(t, source, tag, comm);
	if (TV_UNLIKELY(tv.fore_monitor) && !tv_carry_reaches_peer(known, source))
		rc = receive_held(t, buf, count, type, source, tag, comm, status);
	else
		rc = TV_NEXT(Recv)(buf, count, type, source, tag, comm, status);
	const uint64_t now = tv_now();
	if (rc == MPI_SUCCESS)
		note_recv(t, status, known, wildcards(source, tag), now);
	tv_end_at(t, CALL_Recv, now);
	return rc;
}

TV_WRAP_STATUS(Sendrecv,
	       (const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
		void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
		MPI_Comm comm, MPI_Status *status),
	       (sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
		recvtag, comm, status),
	       status, const struct tv_comm *known = post(t, source, recvtag, comm);
	       note_send(t, 0, sendcount, sendtype, dest, sendtag, comm), {
		       tv_learn_receiver(t, known, dest, sendtag);
		       if (rc == MPI_SUCCESS)
			       note_both(t, CALL_Sendrecv, status, known,
					 wildcards(source, recvtag), now);
	       })

TV_WRAP_STATUS(Sendrecv_replace,
	       (void *buf, int count, MPI_Datatype type, int dest, int sendtag, int source,
		int recvtag, MPI_Comm comm, MPI_Status *status),
	       (buf, count, type, dest, sendtag, source, recvtag, comm, status), status,
	       const struct tv_comm *known = post(t, source, recvtag, comm);
	       note_send(t, 0, count, type, dest, sendtag, comm), {
		       tv_learn_receiver(t, known, dest, sendtag);
		       if (rc == MPI_SUCCESS)
			       note_both(t, CALL_Sendrecv_replace, status, known,
					 wildcards(source, recvtag), now);
	       })

/* ---- probes; the message of a matched one has no communicator, so that is remembered ---- */

TV_WRAP(Probe, (int source, int tag, MPI_Comm comm, MPI_Status *status),
	(source, tag, comm, status), await(t, source, tag, comm), TV_NOTHING)

TV_WRAP(Mprobe, (int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status),
	(source, tag, comm, message, status),
	tv_tell_post(await(t, source, tag, comm), TV_PEER_ANYBODY, tag, t->now), {
		if (rc == MPI_SUCCESS)
			tv_message_add(t, *message, comm);
	})

TV_WRAP(Improbe,
	(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status),
	(source, tag, comm, flag, message, status),
	tv_tell_post(NULL, TV_PEER_ANYBODY, tag, t->now), {
		if (rc == MPI_SUCCESS && *flag)
			tv_message_add(t, *message, comm);
	})

TV_WRAP_STATUS(Mrecv,
	       (void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status),
	       (buf, count, type, message, status), status,
	       const struct tv_comm *comm = tv_message_take(t, *message), {
		       if (rc == MPI_SUCCESS)
			       note_recv(t, status, comm, TV_ANY_SOURCE, now);
	       })

int tv_wrap_Imrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message,
		   MPI_Request *request)
{
	struct tv_thread *t = TV_BEGIN(Imrecv);
	const bool none = *message == MPI_MESSAGE_NO_PROC;
	const struct tv_comm *comm = t ? tv_message_take(t, *message) : NULL;
	const int rc = TV_NEXT(Imrecv)(buf, count, type, message, request);

	/* Who sent it was known to the probe's caller; here the completion will tell. */
	if (t && rc == MPI_SUCCESS && !none)
		tv_request_add(t, *request,
			       (struct tv_request){ .comm = comm,
						    .bytes = tv_bytes(count, type),
						    .peer = TV_PEER_ANYBODY,
						    .tag = MPI_ANY_TAG,
						    .recv = 1,
						    .call = CALL_Imrecv },
			       t->now);
	if (t)
		tv_end(t, CALL_Imrecv);
	return rc;
}
