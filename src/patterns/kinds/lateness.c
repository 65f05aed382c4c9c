#include "patterns/kinds/lateness.h"

#include "model/trace/message.h"

/* The metrics of a wait, with and without bytes. */
static const struct late_metrics {
	enum cube_metric time, full, empty;
} of_sender = { CUBE_MPI_LATESENDER, CUBE_MPI_CLS_COUNT, CUBE_MPI_SLS_COUNT },
  of_receiver = { CUBE_MPI_LATERECEIVER, CUBE_MPI_CLR_COUNT, CUBE_MPI_SLR_COUNT };

void late_found(struct analysis *a, enum subject subject, const struct walk_call *call,
		const struct completion *end, int64_t length)
{
	const bool sender = subject == SUBJECT_LATE_SENDER;
	const struct late_metrics *metrics = sender ? &of_sender : &of_receiver;
	const struct trace *trace = analysis_trace(a);
	const struct message *m = trace_message(trace, end->row);
	const bool empty = !(m->flags & MSG_NO_BYTES) && message_bytes(m) == 0;
	const bool extended = calls_persistent(analysis_calls(a), end->row);
	const struct wait wait = {
		.event = end->event,
		.partner = sender ? m->send : calls_post(analysis_calls(a), end->row),
		.path = call->path,
		.metric = (uint8_t)metrics->time,
		.flags = (uint8_t)((empty ? WAIT_EMPTY : 0) | (extended ? WAIT_EXTENDED : 0)),
		.begin = call->en,
		.length = length,
	};
	const struct notice notice = {
		.subject = subject,
		.location = call->location,
		.event = end->event,
		.call = call,
		.row = end->row,
		.wait = analysis_found(a, call->location, &wait),
	};

	analysis_count(a, call->location, trace_event_time(trace, analysis_base(a), end->event),
		       empty ? metrics->empty : metrics->full, call->path, 1);
	analysis_counters(a, call->location)->extended += extended;
	analysis_publish(a, &notice);
}
