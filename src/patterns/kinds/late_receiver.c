/* Late Receiver: a sender was blocked until the receive was posted (C7). With Y the call that
 * completed the send, P the one that posted the receive:
 *
 *	w = en(P) - en(Y), 0 where lv(Y) <= en(P)
 *
 * Of MPI_Waitall and MPI_Waitsome the largest, the last one of equal ones. None where a Late Sender
 * was found in the same call, which may be MPI_Wait of MPI_Isendrecv, too. */
#include "model/trace/message.h"
#include "patterns/kinds/lateness.h"

struct late_receiver_state {
	uint32_t late_sender; /* 1 + enter of the last call with a Late Sender; 0 none */
};

int64_t late_receiver_length(const struct calls *calls, const struct trace *trace, uint32_t row,
			     int64_t en, int64_t lv)
{
	const struct message *m = trace_message(trace, row);
	uint32_t post;
	int64_t posted;

	if (m->flags &
	    (MSG_NO_RECV | MSG_NO_SEND | MSG_RECV_PENDING | MSG_CANCELLED | MSG_BROADCAST))
		return 0;
	post = calls_post(calls, row);
	if (post == EVENT_NONE)
		return 0;
	posted = calls_enter(calls, post);
	return lv <= posted ? 0 : posted - en;
}

static void call_ended(struct analysis *a, const struct late_receiver_state *state,
		       const struct walk_call *call)
{
	const bool many = call->kind == CALL_WAITALL;
	const struct completion *worst = NULL;
	int64_t most = 0;

	if (call->kind != CALL_SEND && call->kind != CALL_WAIT && !many)
		return;
	if (call->n_received && state->late_sender == call->enter + 1)
		return;
	for (uint32_t i = 0; i < call->n_sent; i++) {
		const int64_t w = late_receiver_length(analysis_calls(a), analysis_trace(a),
						       call->sent[i].row, call->en, call->lv);
		if (!many && w > 0)
			late_found(a, SUBJECT_LATE_RECEIVER, call, &call->sent[i], w);
		if (w > 0 && w >= most) {
			most = w;
			worst = &call->sent[i];
		}
	}
	if (many && worst)
		late_found(a, SUBJECT_LATE_RECEIVER, call, worst, most);
}

static void on_notice(struct analysis *a, void *local, const struct notice *notice)
{
	struct late_receiver_state *state = local;

	if (notice->subject == SUBJECT_LATE_SENDER)
		state->late_sender = notice->call->enter + 1;
	else
		call_ended(a, state, notice->call);
}

const struct pattern late_receiver_pattern = {
	.name = "late receiver",
	.subjects = 1u << SUBJECT_CALL | 1u << SUBJECT_LATE_SENDER,
	.local = sizeof(struct late_receiver_state),
	.on_notice = on_notice,
};
