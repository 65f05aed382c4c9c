/* Probes. The message of a matched one has no communicator, so that is remembered. One that asks
 * whether there is a message is answered in a replay as it was (answers.h). */
#include "capture/lib/mpi/answers.h"
#include "capture/lib/mpi/any_source.h"
#include "capture/lib/mpi/hold_source.h"
#include "capture/lib/mpi/inflight.h"
#include "capture/lib/mpi/wrap.h"
#include "capture/lib/own_line.h"
#include "capture/lib/replay_board.h"

/* A probe goes on into MPI: from which source. */
static int probe(struct tv_thread *t, uint32_t call, int source, int tag,
		 const struct tv_comm *known, MPI_Comm comm)
{
	source = tv_any_source(t, call, known, source, tag, comm);
	if (TV_UNLIKELY(tv.board != NULL))
		tv_board_awaits(t, tv_comm_world_rank(known, source));
	if (TV_UNLIKELY(tv.line) && source != MPI_PROC_NULL && tv_line_tells(t))
		tv_line_receives(t, known, tv_peer(source), tag);
	return source;
}

#define PROBED(known)                                                           \
	do {                                                                    \
		tv_any_compare(t, source, tag, known, status);                  \
		tv_learn_probed(t, known, status->MPI_SOURCE, status->MPI_TAG); \
	} while (0)

TV_WRAP_STATUS(Probe, (int source, int tag, MPI_Comm comm, MPI_Status *status),
	       (source, tag, comm, status), status,
	       const struct tv_comm *known = tv_await_any(t, source, tag, comm);
	       const int given = source; source = probe(t, CALL_Probe, source, tag, known, comm), {
		       if (rc == MPI_SUCCESS) {
			       tv_any_took(t, CALL_Probe, known, given, status);
			       PROBED(known);
		       }
	       })

TV_WRAP_STATUS(Mprobe,
	       (int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status),
	       (source, tag, comm, message, status), status,
	       const struct tv_comm *known = tv_await_any(t, source, tag, comm);
	       const int given = source; source = probe(t, CALL_Mprobe, source, tag, known, comm);
	       tv_tell_post(t, known, TV_PEER_ANYBODY, tag), {
		       if (rc == MPI_SUCCESS) {
			       tv_any_took(t, CALL_Mprobe, known, given, status);
			       PROBED(known);
			       tv_message_add(t, *message, status, comm);
		       }
	       })

/* ---- that ask ---- */

/* What the list of a replay demands; TV_ANSWER_THEM: from that source, whose message is there. */
static enum tv_answer_how listed(struct tv_thread *t, uint32_t call, int *source, int tag,
				 const struct tv_comm *known, MPI_Comm comm)
{
	const struct tv_choice *next;
	int from;

	if (*source == MPI_PROC_NULL)
		return TV_ANSWER_MPI;
	if (tv_order_denies(t))
		return TV_ANSWER_NO;
	next = tv_order_next(t, TV_CHOICE_SOURCE, call, known);
	if (!next)
		return TV_ANSWER_MPI;
	if (next->what < 0 || (*source != MPI_ANY_SOURCE && next->what != *source)) {
		tv_order_depart(t, TV_DEPART_MEMBER);
		return TV_ANSWER_MPI;
	}
	from = tv_wait_recorded(t, known, next->what, tag, comm, true);
	if (from == MPI_ANY_SOURCE)
		return TV_ANSWER_MPI;
	*source = from;
	return TV_ANSWER_THEM;
}

/* The answer that the program was given. */
static void note_answer(struct tv_thread *t, uint32_t call, const struct tv_comm *known, bool yes,
			const MPI_Status *status)
{
	if (!yes)
		tv_answer_denied(t);
	else if (tv.choices)
		tv_order_took(t, call, known, status->MPI_SOURCE, status->MPI_TAG);
}

/* Maybe true too early: in virtual time another message may be first. */
static int iprobed(struct tv_thread *t, int source, int tag, MPI_Comm comm, int *flag,
		   MPI_Status *status)
{
	if (TV_LIKELY(!tv.line) || source != MPI_ANY_SOURCE || !*flag)
		return source;
	return tv_hold_source_probed(t, tv_comm(t, comm), tag, comm, flag, status);
}

int tv_wrap_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
	struct tv_thread *t = TV_BEGIN(Iprobe);
	enum tv_answer_how how = TV_ANSWER_MPI;
	const struct tv_comm *known;
	MPI_Status own;
	int rc;

	if (!t)
		return TV_NEXT(Iprobe)(source, tag, comm, flag, status);
	if (status == MPI_STATUS_IGNORE)
		status = &own;
	known = tv_comm(t, comm);
	if (TV_UNLIKELY(tv.replays))
		how = listed(t, CALL_Iprobe, &source, tag, known, comm);
	rc = TV_NEXT(Iprobe)(source, tag, comm, flag, status);
	if (TV_UNLIKELY(how == TV_ANSWER_NO))
		*flag = 0;
	const uint64_t now = tv_now();
	if (rc == MPI_SUCCESS) {
		source = iprobed(t, source, tag, comm, flag, status);
		note_answer(t, CALL_Iprobe, known, *flag, status);
	}
	if (rc == MPI_SUCCESS && *flag)
		PROBED(known);
	tv_end_at(t, CALL_Iprobe, now);
	return rc;
}

/* In virtual order where it asks for any source. */
static int improbe(struct tv_thread *t, int *source, int tag, MPI_Comm comm, int *flag,
		   MPI_Message *message, MPI_Status *status)
{
	if (TV_UNLIKELY(tv.line) && *source == MPI_ANY_SOURCE)
		return tv_hold_matched(t, tv_comm(t, comm), source, tag, comm, flag, message,
				       status);
	return TV_NEXT(Improbe)(*source, tag, comm, flag, message, status);
}

int tv_wrap_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
		    MPI_Status *status)
{
	struct tv_thread *t = TV_BEGIN(Improbe);
	enum tv_answer_how how = TV_ANSWER_MPI;
	const struct tv_comm *known;
	MPI_Status own;
	int rc;

	if (!t)
		return TV_NEXT(Improbe)(source, tag, comm, flag, message, status);
	if (status == MPI_STATUS_IGNORE)
		status = &own;
	known = tv_comm(t, comm);
	if (TV_UNLIKELY(tv.replays))
		how = listed(t, CALL_Improbe, &source, tag, known, comm);
	tv_tell_post(t, NULL, TV_PEER_ANYBODY, tag);
	if (TV_UNLIKELY(how == TV_ANSWER_NO)) {
		rc = tv_mpi.Iprobe(source, tag, comm, flag, status);
		*flag = 0;
		*message = MPI_MESSAGE_NULL;
	} else {
		rc = improbe(t, &source, tag, comm, flag, message, status);
	}
	const uint64_t now = tv_now();
	if (rc == MPI_SUCCESS)
		note_answer(t, CALL_Improbe, known, *flag, status);
	if (rc == MPI_SUCCESS && *flag) {
		PROBED(known);
		tv_message_add(t, *message, status, comm);
	}
	tv_end_at(t, CALL_Improbe, now);
	return rc;
}
