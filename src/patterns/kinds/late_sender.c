/* Late Sender: a receiver was blocked before the send was entered (C5):
 *
 *	w = min(en(S), lv(X)) - en(X)
 *
 * for each receive that X completed; of MPI_Waitall and MPI_Waitsome the largest, once. */
#include "model/trace/message.h"
#include "patterns/kinds/lateness.h"

int64_t late_sender_length(const struct calls *calls, const struct trace *trace, uint32_t row,
			   int64_t en, int64_t lv)
{
	const struct message *m = trace_message(trace, row);
	int64_t send;

	if (!message_arrived(m))
		return 0;
	send = calls_enter(calls, m->send);
	return (send < lv ? send : lv) - en;
}

static void on_notice(struct analysis *a, void *local, const struct notice *notice)
{
	const struct walk_call *call = notice->call;
	const struct completion *worst = NULL;
	int64_t most = 0;

	(void)local;
	switch (call->kind) {
	case CALL_RECV:
	case CALL_SENDRECV:
	case CALL_WAIT:
	case CALL_WAITALL: break;
	default: return;
	}
	for (uint32_t i = 0; i < call->n_received; i++) {
		const struct completion *receive = &call->received[i];
		const int64_t w = late_sender_length(analysis_calls(a), analysis_trace(a),
						     receive->row, call->en, call->lv);
		if (call->kind != CALL_WAITALL && w > 0)
			late_found(a, SUBJECT_LATE_SENDER, call, receive, w);
		if (w > most) {
			most = w;
			worst = receive;
		}
	}
	if (call->kind == CALL_WAITALL && worst)
		late_found(a, SUBJECT_LATE_SENDER, call, worst, most);
}

const struct pattern late_sender_pattern = {
	.name = "late sender",
	.subjects = 1u << SUBJECT_CALL,
	.on_notice = on_notice,
};
