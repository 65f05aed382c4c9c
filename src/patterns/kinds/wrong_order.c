/* Messages in wrong order: a Late Sender that another order of receives would have avoided: later
 * on a message is received that had been sent before (C5, C6). The last 100 Late Senders of a
 * location are compared with; each is in the wrong order once. Sources are compared as
 * processes. */
#include <stdlib.h>

#include "base/mem.h"
#include "model/trace/message.h"
#include "patterns/analysis/pattern.h"

enum { KEPT = 100 };

/* A Late Sender, its wait's receive not yet overtaken. */
struct late {
	struct wait *wait;
	int64_t sent; /* its message */
	int32_t source;
};

struct wrong_order_state {
	struct late *kept; /* [KEPT], in order; allocated with the first */
	uint32_t n;
	int64_t latest;       /* none of them was sent later */
	struct wait *of_call; /* Late Sender of the multi-wait that is about to end */
	uint32_t row;         /* its message */
};

static int64_t sent_at(const struct analysis *a, const struct message *m)
{
	return trace_event_time(analysis_trace(a), analysis_base(a), m->send);
}

static void keep(const struct analysis *a, struct wrong_order_state *s, struct wait *wait,
		 uint32_t row)
{
	const struct message *m = trace_message(analysis_trace(a), row);
	struct late late = { wait, sent_at(a, m), message_source(analysis_trace(a), m) };

	if (!s->kept)
		s->kept = xmalloc(KEPT * sizeof *s->kept);
	if (s->n == KEPT) {
		for (uint32_t i = 1; i < KEPT; i++)
			s->kept[i - 1] = s->kept[i];
		s->n--;
	}
	s->kept[s->n++] = late;
	if (s->n == 1 || late.sent > s->latest)
		s->latest = late.sent;
}

static void in_wrong_order(struct analysis *a, uint32_t location, const struct late *late,
			   bool same)
{
	struct wait *wait = late->wait;

	wait->flags |= (uint8_t)(WAIT_WRONG_ORDER | (same ? WAIT_SAME_SOURCE : 0));
	analysis_count(a, location,
		       trace_event_time(analysis_trace(a), analysis_base(a), wait->event),
		       wait->flags & WAIT_EMPTY ? CUBE_MPI_SLSWO_COUNT : CUBE_MPI_CLSWO_COUNT,
		       wait->path, 1);
}

/* A message is received: which of the kept ones were sent later? */
static void compare(struct analysis *a, struct wrong_order_state *s, uint32_t location,
		    uint32_t row)
{
	const struct message *m = trace_message(analysis_trace(a), row);
	int64_t sent;
	uint32_t n = 0;

	if (s->n == 0 || m->flags & (MSG_NO_SEND | MSG_CANCELLED))
		return;
	sent = sent_at(a, m);
	if (s->latest <= sent)
		return;
	s->latest = INT64_MIN;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct late *late = &s->kept[i];
		if (late->sent > sent) {
			in_wrong_order(a, location, late,
				       late->source == message_source(analysis_trace(a), m));
			continue;
		}
		if (late->sent > s->latest)
			s->latest = late->sent;
		s->kept[n++] = *late;
	}
	s->n = n;
}

static void on_notice(struct analysis *a, void *local, const struct notice *notice)
{
	struct wrong_order_state *s = local;

	switch (notice->subject) {
	case SUBJECT_LATE_SENDER:
		/* Of a multi-wait it is known when all its receives have been compared. */
		if (notice->call->kind == CALL_WAITALL) {
			s->of_call = notice->wait;
			s->row = notice->row;
		} else {
			keep(a, s, notice->wait, notice->row);
		}
		break;
	case SUBJECT_CALL:
		for (uint32_t i = 0; i < notice->call->n_received; i++)
			compare(a, s, notice->location, notice->call->received[i].row);
		if (s->of_call)
			keep(a, s, s->of_call, s->row);
		s->of_call = NULL;
		break;
	default:
		free(s->kept);
		*s = (struct wrong_order_state){ 0 };
		break;
	}
}

static void release(void *local)
{
	free(((struct wrong_order_state *)local)->kept);
}

const struct pattern wrong_order_pattern = {
	.name = "wrong order",
	.subjects = 1u << SUBJECT_CALL | 1u << SUBJECT_LATE_SENDER | 1u << SUBJECT_LOCATION,
	.local = sizeof(struct wrong_order_state),
	.on_notice = on_notice,
	.release = release,
};
