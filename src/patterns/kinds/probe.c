/* Waiting for a message before it is received. Wait in Probe: MPI_Probe or MPI_Mprobe blocked until
 * the message that it saw was sent; that is the one whose receive is posted next. With X the probe,
 * S the send:
 *
 *	w = en(S) - en(X), if en(S) <= lv(X)
 *
 * Polling: a run of MPI_Test*, MPI_Iprobe and MPI_Improbe, of which the last one completes a
 * receive, or sees the message that is received next. With A the first and Z the last call:
 *
 *	w = min(en(S), lv(Z)) - en(A)
 *
 * Nothing is recorded between two calls of a run: a function that is entered there may be work. The
 * code between them waits, too, as long as it takes no more than GAP_MOST on average: a rank that
 * computes for longer between two looks is taken to be at work. */
#include "model/trace/message.h"
#include "patterns/analysis/pattern.h"

enum { GAPS_PER_SECOND = 1000 }; /* GAP_MOST: 1 ms */

struct probing {
	uint32_t path;
	uint32_t leave; /* of its last call */
	int64_t en, lv; /* of the first call, of the last */
	int64_t gaps;   /* ticks between its calls */
	uint32_t calls; /* 0: there is none */
};

struct probe_state {
	struct probing run; /* of calls that ask */
	struct probing
		seen; /* a probe, or such a run; the next receive says which message it saw */
	bool asks;    /* `seen` is a run */
};

static void begin(struct probing *p, const struct walk_call *call)
{
	*p = (struct probing){ call->path, call->leave, call->en, call->lv, 0, 1 };
}

/* Nothing was recorded since the run's last call. */
static bool goes_on(const struct trace *trace, const struct probing *run,
		    const struct walk_call *call)
{
	return run->calls > 0 && run->leave != EVENT_NONE && call->enter != EVENT_NONE &&
	       trace_event_ordinal(trace, call->enter) ==
		       trace_event_ordinal(trace, run->leave) + 1;
}

static void ask(struct analysis *a, struct probing *run, const struct walk_call *call)
{
	if (!goes_on(analysis_trace(a), run, call)) {
		begin(run, call);
		return;
	}
	run->gaps += call->en - run->lv;
	run->leave = call->leave;
	run->lv = call->lv;
	run->path = call->path;
	run->calls++;
}

static bool is_polling(const struct trace *trace, const struct probing *run)
{
	return run->calls > 1 &&
	       (double)run->gaps * GAPS_PER_SECOND <=
		       (double)(run->calls - 1) * (double)trace_scale(trace)->per_second;
}

static void found(struct analysis *a, uint32_t location, const struct probing *p,
		  enum cube_metric metric, uint32_t event, uint32_t send, int64_t length)
{
	if (metric == CUBE_MPI_POLLING)
		analysis_nested(a, location);
	analysis_found(a, location,
		       &(struct wait){ .event = event,
				       .partner = send,
				       .path = p->path,
				       .metric = (uint8_t)metric,
				       .begin = p->en,
				       .length = length });
}

/* The wait for a message that was there when the call returned. */
static void saw(struct analysis *a, struct probe_state *s, uint32_t location, uint32_t row)
{
	const struct trace *trace = analysis_trace(a);
	const struct message *m = trace_message(trace, row);
	int64_t sent;

	if (s->seen.calls > 0 && s->seen.leave != EVENT_NONE && message_arrived(m) &&
	    (!s->asks || is_polling(trace, &s->seen))) {
		sent = calls_enter(analysis_calls(a), m->send);
		if (sent > s->seen.en && sent <= s->seen.lv)
			found(a, location, &s->seen,
			      s->asks ? CUBE_MPI_POLLING : CUBE_MPI_PROBE_WAIT, s->seen.leave,
			      m->send, sent - s->seen.en);
	}
	s->seen.calls = 0;
}

/* The wait for the message that was sent last of those that a test completed. */
static void tested(struct analysis *a, struct probe_state *s, const struct walk_call *call)
{
	const struct trace *trace = analysis_trace(a);
	const struct completion *last = NULL;
	int64_t latest = s->run.en;

	for (uint32_t i = 0; i < call->n_received; i++) {
		const struct message *m = trace_message(trace, call->received[i].row);
		const int64_t sent =
			message_arrived(m) ? calls_enter(analysis_calls(a), m->send) : INT64_MIN;
		if (sent > latest) {
			latest = sent;
			last = &call->received[i];
		}
	}
	if (last && is_polling(trace, &s->run))
		found(a, call->location, &s->run, CUBE_MPI_POLLING, last->event,
		      trace_message(trace, last->row)->send,
		      (latest < call->lv ? latest : call->lv) - s->run.en);
	s->run.calls = 0;
}

static void call_ended(struct analysis *a, struct probe_state *s, const struct walk_call *call)
{
	switch (call->kind) {
	case CALL_PROBE:
		begin(&s->seen, call);
		s->asks = false;
		break;
	case CALL_PEEK:
		ask(a, &s->run, call);
		s->seen = s->run;
		s->asks = true;
		break;
	case CALL_TEST:
		ask(a, &s->run, call);
		if (call->n_received > 0 || call->n_sent > 0)
			tested(a, s, call);
		break;
	default: break;
	}
}

/* Of a receive that was posted before, the completion says nothing. */
static bool is_posted(const struct trace *trace, const struct notice *notice)
{
	const uint32_t row = what_id(notice->what);

	return row < trace_message_count(trace) &&
	       (what_kind(notice->what) == EV_RECV_REQUEST ||
		!(trace_message(trace, row)->flags & MSG_RECV_REQUEST));
}

static void on_notice(struct analysis *a, void *local, const struct notice *notice)
{
	struct probe_state *s = local;

	if (notice->subject == SUBJECT_CALL)
		call_ended(a, s, notice->call);
	else if (s->seen.calls > 0 && is_posted(analysis_trace(a), notice))
		saw(a, s, notice->location, what_id(notice->what));
}

const struct pattern probe_pattern = {
	.name = "probe",
	.subjects = 1u << SUBJECT_CALL,
	.events = 1u << EV_RECV | 1u << EV_RECV_REQUEST,
	.local = sizeof(struct probe_state),
	.on_notice = on_notice,
};
