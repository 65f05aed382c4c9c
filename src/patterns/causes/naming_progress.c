/* Messages without progress: a receiver waits inside of MPI for data whose sender has begun to
 * send, and computes before it enters MPI again. Most libraries move large messages only in calls
 * of both sides. */
#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/halo.h"
#include "model/trace/message.h"
#include "patterns/analysis/absence.h"
#include "patterns/analysis/calls.h"
#include "patterns/causes/naming_state.h"

#define NO_PROGRESS 0.5 /* of the receiver's excess */

/* The time in which a receiver waited for data on its way. */
struct delivery {
	uint32_t sender; /* location */
	uint32_t pad;
	int64_t from, to; /* ticks */
};

/* Time that senders were outside of MPI meanwhile. */
struct left_alone {
	uint32_t sender, path; /* plain */
	double ticks;
};

typedef VEC(struct delivery) deliveries;
typedef VEC(struct left_alone) left_list;

/* Those that a location received in a group. */
static void find_deliveries(const struct naming *m, unsigned row, uint32_t location,
			    deliveries *list)
{
	const uint32_t n = trace_message_count(m->trace);

	for (uint32_t i = 0; i < n; i++) {
		const struct message *message = trace_message(m->trace, i);
		struct call_span call;
		int64_t sent, from;
		if (!message_arrived(message) ||
		    trace_event_location(m->trace, message->recv) != location)
			continue;
		call = calls_of(analysis_calls(m->causes->analysis), message->recv);
		if (m->group_of[call.path] != row || call.en < m->t0 || call.lv > m->t1)
			continue;
		sent = trace_event_time(m->trace, m->base, message->send);
		from = sent > call.en ? sent : call.en;
		if (call.lv > from)
			vec_push(list,
				 ((struct delivery){ trace_event_location(m->trace, message->send),
						     0, from, call.lv }));
	}
}

static int by_sender(const void *a, const void *b)
{
	const struct left_alone *x = a, *y = b;

	ORDER_BY(x->sender, y->sender);
	ORDER_BY(x->path, y->path);
	return ORDER(x->ticks, y->ticks);
}

static void join(left_list *list)
{
	size_t n = 0;

	vec_sort(list, by_sender);
	for (size_t i = 0; i < list->n; i++) {
		struct left_alone *last = n ? &list->data[n - 1] : NULL;
		if (last && last->sender == list->data[i].sender &&
		    last->path == list->data[i].path)
			last->ticks += list->data[i].ticks;
		else
			list->data[n++] = list->data[i];
	}
	list->n = n;
}

/* Gives each delivery to the process of its sender. */
static void deal(const struct naming *m, deliveries *list)
{
	struct exchange *x = trace_exchange(m->trace);
	OWNED uint32_t *to = xcalloc(list->n + 1, sizeof *to);

	if (!x)
		return;
	for (size_t i = 0; i < list->n; i++)
		to[i] = trace_process_of(m->trace, list->data[i].sender);
	exchange_deal_rows(x, list, to);
}

static void find_left(const struct naming *m, const deliveries *list, left_list *left)
{
	const struct delivery *d;

	vec_each (d, list) {
		const struct absence a = absence_find(m->trace, m->base, d->sender, d->from, d->to);
		if (absence_stops(&a, d->from, d->to))
			vec_push(left, ((struct left_alone){ d->sender, m->plain.of[a.path],
							     (double)(a.to - a.from) }));
	}
	join(left);
	exchange_rows(trace_exchange(m->trace), left);
	vec_sort(left, by_sender);
}

bool naming_progress(const struct naming *m, unsigned row, uint32_t location, double excess,
		     struct named_cause *cause)
{
	deliveries list = VEC_INIT;
	left_list left = VEC_INIT;
	const struct left_alone *l, *most = NULL;
	double sum = 0;
	bool found;

	if (trace_has_location(m->trace, location))
		find_deliveries(m, row, location, &list);
	deal(m, &list);
	find_left(m, &list, &left);
	vec_each (l, &left) {
		sum += l->ticks;
		if (!most || l->ticks > most->ticks)
			most = l;
	}
	found = most && sum >= NO_PROGRESS * excess;
	if (found) {
		cause->location = most->sender;
		cause->path = most->path;
		cause->time = sum / m->series.n;
		cause->others_time = 0;
		cause->calls = cause->others_calls = 0;
	}
	vec_fini(&list);
	vec_fini(&left);
	return found;
}
