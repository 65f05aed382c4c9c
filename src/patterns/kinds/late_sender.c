/* Late Sender: a receiver was blocked before the send was entered (C5):
 *
 *	w = min(en(S), lv(X)) - en(X)
 *
 * for each receive that X completed; of MPI_Waitall and MPI_Waitsome the largest, once. */
#include "model/trace/message.h"
#include "patterns/analysis/pattern.h"
#include "patterns/kinds/lateness.h"

static bool has_both_ends(const struct message *m)
{
	return !(m->flags & (MSG_NO_SEND | MSG_NO_RECV | MSG_RECV_PENDING | MSG_CANCELLED));
}

int64_t late_sender_length(const struct calls *calls, const struct trace *trace, uint32_t row,
			   int64_t en, int64_t lv)
{
	const struct message *m = trace_message(trace, row);
	int64_t send;

	if (!has_both_ends(m))
		return 0;
	send = calls_enter(calls, m->send);
	return (send < lv ? send : lv) - en;
}

static void found(struct analysis *a, const struct walk_call *call,
		  const struct completion *receive, int64_t length)
{
	const struct trace *trace = analysis_trace(a);
	const struct message *m = trace_message(trace, receive->row);
	const bool empty = !(m->flags & MSG_NO_BYTES) && message_bytes(m) == 0;
	const bool extended = calls_persistent(analysis_calls(a), receive->row);
	const struct wait wait = {
		.event = receive->event,
		.partner = m->send,
		.path = call->path,
		.metric = CUBE_MPI_LATESENDER,
		.flags = (uint8_t)((empty ? WAIT_EMPTY : 0) | (extended ? WAIT_EXTENDED : 0)),
		.begin = call->en,
		.length = length,
	};
	const struct notice notice = {
		.subject = SUBJECT_LATE_SENDER,
		.location = call->location,
		.event = receive->event,
		.call = call,
		.row = receive->row,
		.wait = analysis_found(a, call->location, &wait),
	};

	analysis_count(a, call->location, trace_event_time(trace, analysis_base(a), receive->event),
		       empty ? CUBE_MPI_SLS_COUNT : CUBE_MPI_CLS_COUNT, call->path, 1);
	analysis_counters(a, call->location)->extended += extended;
	analysis_publish(a, &notice);
}

static void on_notice(struct analysis *a, void *local, void *whole, const struct notice *notice)
{
	const struct walk_call *call = notice->call;
	const struct completion *worst = NULL;
	int64_t most = 0;

	(void)local;
	(void)whole;
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
			found(a, call, receive, w);
		if (w > most) {
			most = w;
			worst = receive;
		}
	}
	if (call->kind == CALL_WAITALL && worst)
		found(a, call, worst, most);
}

const struct pattern late_sender_pattern = {
	.name = "late sender",
	.subjects = 1u << SUBJECT_CALL,
	.on_notice = on_notice,
};
