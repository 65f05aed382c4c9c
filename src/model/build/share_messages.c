/* Messages between processes that share a trace (model/trace/halo.h). Before the matching, each
 * sender tells the receiver's process of its sends, which become far rows there: so the matching
 * sees all sends to its own ranks, and works as if it were alone. After it, the senders are told
 * which receive each send has, if any. */
#include <stdlib.h>

#include "base/exchange.h"
#include "model/build/build.h"
#include "model/build/ghosts.h"

/* A send, for the receiver's process. */
struct far_send {
	struct message message; /* `send`: its row at the sender; `recv`: the receiver's rank */
	uint32_t location;      /* the sender */
	int64_t time, until;    /* of the event, and of the next enter or leave */
};

/* What became of it. */
struct far_answer {
	struct message message; /* with the receive's values, or MSG_NO_RECV */
	uint32_t row;           /* at the sender */
	uint32_t location;      /* the receiver */
};

/* ---- sends ---- */

struct sends {
	VEC(struct far_send) rows;
	VEC(uint32_t) to;     /* process */
	VEC(uint32_t) events; /* of the sends */
};

static uint32_t process_of_rank(const struct trace *trace, int32_t rank)
{
	const uint32_t location = trace_location_of_rank(trace, rank);

	return location == UINT32_MAX ? UINT32_MAX : trace->halo->process[location];
}

/* When the call that sends ends, as match_threads.c sees it: *end is the enter or leave after the
 * send before, which may be that of this one, too. */
static int64_t time_until(const struct trace *trace, uint32_t send, struct cursor *end)
{
	struct cursor c;
	bool ok = true;

	cursor_at(&c, trace, BASE_MEASURED, send);
	if (!end->trace || end->location != c.location ||
	    cursor_ordinal(end) < cursor_ordinal(&c)) {
		*end = c;
		while ((ok = cursor_next(end)) && what_kind(cursor_what(end)) != EV_ENTER &&
		       what_kind(cursor_what(end)) != EV_LEAVE)
			continue;
		if (!ok)
			cursor_last(end, trace, BASE_MEASURED, c.location);
	}
	return what_kind(cursor_what(end)) == EV_ENTER || what_kind(cursor_what(end)) == EV_LEAVE
		       ? cursor_time(end)
		       : cursor_time(&c);
}

static void collect_sends(const struct builder *b, struct sends *sends)
{
	const struct trace *trace = b->trace;
	const uint32_t n = store_message_count(trace);
	struct cursor end = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t row = build_send_row(b, i);
		const struct message *m = store_message(trace, row);
		const uint32_t process = process_of_rank(trace, (int32_t)m->recv);
		struct far_send *far;
		if (m->flags & (MSG_CANCELLED | MSG_BROADCAST | MSG_NO_TAG) ||
		    process == UINT32_MAX || process == trace->exchange->process)
			continue;
		far = vec_add(&sends->rows);
		far->message = *m;
		far->message.send = row;
		far->location = store_event_block(trace, m->send)->location;
		far->time = store_event_time(trace, BASE_MEASURED, m->send);
		far->until = time_until(trace, m->send, &end);
		vec_push(&sends->to, process);
		vec_push(&sends->events, m->send);
	}
}

/* The sends as the others will have them: by process, of one in their order. */
static void give_sends(struct trace *trace, const struct sends *sends)
{
	struct halo_list *list = &trace->halo->lists[HALO_SENDS];
	OWNED size_t *place = xmalloc((sends->to.n + 1) * sizeof *place);

	halo_list_give(list, trace->exchange->processes, sends->to.data, sends->to.n, place);
	for (size_t i = 0; i < sends->to.n; i++)
		list->given[place[i]].event = sends->events.data[i];
}

static bool take_sends(struct builder *b, struct ghosts *ghosts, const struct exchange_parts *parts)
{
	struct trace *trace = b->trace;
	const struct far_send *far = (const struct far_send *)(const void *)parts->data;
	const size_t n = parts->first[trace->exchange->processes] / sizeof *far;
	struct halo_list *list = &trace->halo->lists[HALO_SENDS];

	halo_list_take(list, trace->exchange->processes, parts->first, sizeof *far);
	b->far = xmalloc((n + 1) * sizeof *b->far);
	for (size_t i = 0; i < n; i++) {
		const uint32_t row = store_message_count(trace);
		struct message *m;
		if (row >= ID_NONE)
			return err_set(ghosts->err, STATUS_IO,
				       "%s has more messages than the processes can hold (2^27 "
				       "each): more are needed",
				       trace->path);
		m = slab_extend(&trace->messages, sizeof *m, ghosts->err);
		list->taken[i] = ghost_add(ghosts, far[i].location, EV_SEND, row);
		if (!m || list->taken[i] == EVENT_NONE)
			return false;
		*m = far[i].message;
		m->send = list->taken[i];
		b->far[i] = (struct far_time){ far[i].time, far[i].until, far[i].message.send };
	}
	trace->halo->far_end = store_message_count(trace);
	return true;
}

bool build_share_sends(struct builder *b, struct err *err)
{
	struct trace *trace = b->trace;
	struct sends sends = { VEC_INIT, VEC_INIT, VEC_INIT };
	struct exchange_parts parts;
	struct ghosts ghosts;
	bool ok;

	if (!trace->halo)
		return true;
	collect_sends(b, &sends);
	give_sends(trace, &sends);
	exchange_deal(trace->exchange, sends.rows.data, sends.rows.n, sizeof *sends.rows.data,
		      sends.to.data, &parts);
	trace->halo->first = store_block_count(trace) * BLOCK_EVENTS;
	trace->halo->far_first = store_message_count(trace);
	ghosts_init(&ghosts, trace, err);
	ok = take_sends(b, &ghosts, &parts);
	exchange_parts_fini(&parts);
	ghosts_fini(&ghosts);
	vec_fini(&sends.rows);
	vec_fini(&sends.to);
	vec_fini(&sends.events);
	return ok;
}

/* ---- receives ---- */

/* What became of the far rows; of those with a receive, the receive is given. */
static struct far_answer *answers(const struct builder *b, struct halo_list *given)
{
	const struct trace *trace = b->trace;
	const struct halo *halo = trace->halo;
	const size_t n = halo->far_end - halo->far_first;
	const size_t *first = halo->lists[HALO_SENDS].taken_first;
	struct far_answer *rows = xcalloc(n + 1, sizeof *rows);
	size_t given_n = 0;

	given->given = xmalloc((n + 1) * sizeof *given->given);
	given->given_first = xcalloc(trace->exchange->processes + 1u, sizeof *given->given_first);
	for (uint32_t p = 0; p < trace->exchange->processes; p++) {
		for (size_t i = first[p]; i < first[p + 1]; i++) {
			const struct message *m =
				store_message(trace, halo->far_first + (uint32_t)i);
			rows[i].message = *m;
			rows[i].row = b->far[i].row;
			if (m->flags & MSG_NO_RECV)
				continue;
			rows[i].location = store_event_block(trace, m->recv)->location;
			given->given[given_n++] =
				(struct halo_call){ EVENT_NONE, m->recv, EVENT_NONE };
		}
		given->given_first[p + 1] = given_n;
	}
	return rows;
}

static bool take_answers(struct builder *b, struct ghosts *ghosts,
			 const struct exchange_parts *parts)
{
	struct trace *trace = b->trace;
	const struct far_answer *rows = (const struct far_answer *)(const void *)parts->data;
	struct halo_list *list = &trace->halo->lists[HALO_RECVS];
	const size_t n = parts->first[trace->exchange->processes] / sizeof *rows;
	size_t taken = 0, i = 0;

	list->taken = xmalloc((n + 1) * sizeof *list->taken);
	list->taken_first = xcalloc(trace->exchange->processes + 1u, sizeof *list->taken_first);
	for (uint32_t p = 0; p < trace->exchange->processes; p++) {
		for (; i < parts->first[p + 1] / sizeof *rows; i++) {
			const struct message *answer = &rows[i].message;
			struct message *m = store_message(trace, rows[i].row);
			const uint32_t send = m->send;
			uint32_t ghost;
			if (answer->flags & MSG_NO_RECV)
				continue;
			ghost = ghost_add(ghosts, rows[i].location,
					  answer->flags & MSG_RECV_PENDING ? EV_RECV_REQUEST
									   : EV_RECV,
					  rows[i].row);
			if (ghost == EVENT_NONE)
				return false;
			*m = *answer;
			m->send = send;
			m->recv = ghost;
			list->taken[taken++] = ghost;
		}
		list->taken_first[p + 1] = taken;
	}
	return true;
}

bool build_share_receives(struct builder *b, struct err *err)
{
	struct trace *trace = b->trace;
	OWNED struct far_answer *mine = NULL;
	struct exchange_parts parts;
	struct ghosts ghosts;
	bool ok;

	if (!trace->halo)
		return true;
	mine = answers(b, &trace->halo->lists[HALO_RECVS]);
	exchange_swap(trace->exchange, mine, sizeof *mine,
		      trace->halo->lists[HALO_SENDS].taken_first, &parts);
	ghosts_init(&ghosts, trace, err);
	ok = take_answers(b, &ghosts, &parts);
	ghosts_fini(&ghosts);
	exchange_parts_fini(&parts);
	return ok;
}
