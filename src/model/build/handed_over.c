/* Requests that one thread of a process begins and another one completes, tests or cancels. While
 * events are appended each location knows only its own requests, so that the order in which the
 * locations are fed does not matter. The unmatched rest of both sides is joined here: per process,
 * kind and id, an end belongs to the earliest request that had begun by then. */
#include "base/order.h"
#include "model/build/build.h"

/* A request or an end, sorted by time; equal times in an order that does not depend on how the
 * locations were fed. */
struct turn {
	int64_t time;
	uint32_t location, nth; /* place among the location's events */
	uint32_t row;           /* of `begun` or `ended` */
};

struct turns {
	VEC(struct turn) list;
};

/* Requests of one process, kind and id, the earliest first. */
struct queue {
	uint32_t head, tail; /* rows of `begun` */
};

struct handing {
	struct builder *b;
	uint32_t *process;   /* [location] */
	uint8_t *several;    /* [process] nonzero: it has more than one location */
	uint32_t *next;      /* [begun] next in its queue; UINT32_MAX: end */
	int64_t *began;      /* [begun] time */
	struct keymap known; /* (process, kind, id) -> queue */
	VEC(struct queue) queues;
	uint64_t found;
};

void build_requests_leave(struct builder *from, struct builder *to)
{
	const struct request_slot *slot;
	const struct request_end *end;

	for (size_t i = 0; i < from->requests.size; i++) {
		slot = &from->requests.slots[i];
		for (uint32_t node = slot->head; node != UINT32_MAX;) {
			const struct request_node *n = &from->requests.nodes.data[node];
			const enum request_kind kind =
				(enum request_kind)(slot->owner & REQUEST_KIND_MASK);
			const uint32_t event =
				kind == REQUEST_SEND   ? store_message(from->trace, n->row)->send
				: kind == REQUEST_RECV ? build_recv(from, n->row)->recv
						       : store_member(from->trace, n->row)->begin;
			vec_push(&to->begun,
				 ((struct request_begin){ slot->id, event, (uint8_t)kind }));
			node = n->next;
		}
	}
	if (from != to)
		vec_each (end, &from->ended)
			vec_push(&to->ended, *end);
}

/* ---- in order of time ---- */

ORDERING(by_turn, struct turn, time, location, nth, row)

static void add_turn(const struct trace *trace, struct turns *turns, uint32_t event, uint32_t row)
{
	const struct block *block = store_block(trace, event / BLOCK_EVENTS);

	vec_push(&turns->list,
		 ((struct turn){ trace_event_time(trace, BASE_MEASURED, event), block->location,
				 block->nth * BLOCK_EVENTS + event % BLOCK_EVENTS, row }));
}

/* Numbers the processes; false if none has several locations. */
static bool number_processes(struct handing *h)
{
	const struct trace *trace = h->b->trace;
	ENDED_BY(keymap_fini) struct keymap map = { NULL, 0, 0 };
	bool any = false;

	h->process = xcalloc(trace->locations.n, sizeof *h->process);
	h->several = xcalloc(trace->locations.n, 1);
	for (uint32_t l = 0; l < trace->locations.n; l++) {
		const struct location *at = &trace->locations.data[l];
		h->process[l] = l;
		if (at->rank == RANK_UNKNOWN ||
		    keymap_new(&map, KEY_OF((uint32_t)at->rank, (uint32_t)at->process), l,
			       &h->process[l]))
			continue;
		h->several[h->process[l]] = 1;
		any = true;
	}
	return any;
}

static struct key queue_key(const struct handing *h, uint32_t event, enum request_kind kind,
			    int64_t id)
{
	const uint32_t l = store_block(h->b->trace, event / BLOCK_EVENTS)->location;

	return KEY_OF(h->process[l], kind, (uint32_t)id, (uint32_t)((uint64_t)id >> 32));
}

static bool is_shared(const struct handing *h, uint32_t event)
{
	return h->several[h->process[store_block(h->b->trace, event / BLOCK_EVENTS)->location]];
}

static void queue_begun(struct handing *h)
{
	const struct request_begin *begin;
	const struct turn *turn;
	struct turns turns = { VEC_INIT };

	h->next = xcalloc(h->b->begun.n, sizeof *h->next);
	h->began = xcalloc(h->b->begun.n, sizeof *h->began);
	vec_each (begin, &h->b->begun)
		if (begin->event != EVENT_NONE && is_shared(h, begin->event))
			add_turn(h->b->trace, &turns, begin->event,
				 (uint32_t)(begin - h->b->begun.data));
	vec_sort(&turns.list, by_turn);
	vec_each (turn, &turns.list) {
		uint32_t at;
		begin = &h->b->begun.data[turn->row];
		h->next[turn->row] = UINT32_MAX;
		h->began[turn->row] = turn->time;
		if (keymap_new(&h->known, queue_key(h, begin->event, begin->kind, begin->id),
			       h->queues.n, &at))
			vec_push(&h->queues, ((struct queue){ turn->row, turn->row }));
		else if (h->queues.data[at].head == UINT32_MAX)
			h->queues.data[at].head = h->queues.data[at].tail = turn->row;
		else {
			h->next[h->queues.data[at].tail] = turn->row;
			h->queues.data[at].tail = turn->row;
		}
	}
	vec_fini(&turns.list);
}

/* ---- applying an end to its request ---- */

/* Copies what the completion's own receive knows to the request's receive, and closes the
 * former. */
static void end_recv(struct builder *b, const struct request_end *end, uint32_t row)
{
	struct message *m = build_recv(b, row);
	struct message *own = build_recv(b, what_id(*store_what(b->trace, end->event)));

	build_complete_recv(m, &(struct message_end){ .rank = (int32_t)own->send,
						      .tag = own->tag,
						      .comm = own->comm,
						      .bytes = message_bytes(own),
						      .flags = own->flags });
	m->recv = end->event;
	own->flags |= RECV_CLOSED | MSG_CANCELLED;
}

static void end_collective(struct builder *b, const struct request_end *end, uint32_t row)
{
	build_describe_part(b, row, &end->part);
	store_member(b->trace, row)->end = end->event;
}

/* Lets a test or cancellation name the message that has now been found. */
static uint32_t name_request(struct builder *b, const struct request_end *end,
			     enum request_kind kind, uint32_t row)
{
	if (end->kind == EV_REQUEST_CANCELLED && kind == REQUEST_RECV)
		build_recv(b, row)->flags |= MSG_CANCELLED;
	else if (end->kind == EV_REQUEST_CANCELLED && kind == REQUEST_SEND)
		store_message(b->trace, row)->flags |= MSG_CANCELLED;
	if (kind == REQUEST_COLLECTIVE || b->refs.n >= ID_NONE)
		return ID_NONE;
	vec_push(&b->refs, row << REQUEST_KIND_BITS | (uint32_t)kind);
	return (uint32_t)b->refs.n - 1;
}

static void end_request(struct handing *h, const struct request_end *end, uint32_t begun)
{
	struct builder *b = h->b;
	const struct request_begin *begin = &b->begun.data[begun];
	const enum request_kind kind = (enum request_kind)begin->kind;
	uint32_t row = what_id(*store_what(b->trace, begin->event));

	switch (end->kind) {
	case EV_SEND_COMPLETE: store_message(b->trace, row)->flags |= end->flags; break;
	case EV_RECV: end_recv(b, end, row); break;
	case EV_COLLECTIVE_END: end_collective(b, end, row); break;
	default: row = name_request(b, end, kind, row); break;
	}
	*store_what(b->trace, end->event) = what_make((enum event_kind)end->kind, row);
	h->found++;
}

/* The queue whose first request is of that kind and id and had begun by then; NULL: none. */
static struct queue *queue_of(const struct handing *h, const struct request_end *end,
			      enum request_kind kind, int64_t time)
{
	const uint32_t *at = keymap_find(&h->known, queue_key(h, end->event, kind, end->id));
	struct queue *queue = at ? &h->queues.data[*at] : NULL;

	return queue && queue->head != UINT32_MAX && h->began[queue->head] <= time ? queue : NULL;
}

static void find_request(struct handing *h, const struct request_end *end, int64_t time)
{
	struct queue *queue = NULL;
	uint32_t begun;

	switch (end->kind) {
	case EV_SEND_COMPLETE: queue = queue_of(h, end, REQUEST_SEND, time); break;
	case EV_RECV: queue = queue_of(h, end, REQUEST_RECV, time); break;
	case EV_COLLECTIVE_END: queue = queue_of(h, end, REQUEST_COLLECTIVE, time); break;
	default:
		for (size_t i = 0; i < 3 && !queue; i++)
			queue = queue_of(h, end, build_asked[i], time);
	}
	if (!queue)
		return;
	begun = queue->head;
	if (end->kind != EV_REQUEST_TEST)
		queue->head = h->next[begun];
	end_request(h, end, begun);
}

static void find_all(struct handing *h)
{
	const struct request_end *end;
	const struct turn *turn;
	struct turns turns = { VEC_INIT };

	vec_each (end, &h->b->ended)
		if (end->event != EVENT_NONE && is_shared(h, end->event))
			add_turn(h->b->trace, &turns, end->event,
				 (uint32_t)(end - h->b->ended.data));
	vec_sort(&turns.list, by_turn);
	vec_each (turn, &turns.list)
		find_request(h, &h->b->ended.data[turn->row], turn->time);
	vec_fini(&turns.list);
}

void build_hand_over(struct builder *b)
{
	struct handing h = { .b = b };

	if (b->ended.n && b->begun.n && number_processes(&h)) {
		queue_begun(&h);
		find_all(&h);
		store_finding_withdraw(b->trace, FINDING_ODDITY, "unknown-request", h.found);
	}
	free_all(h.process, h.several, h.next, h.began);
	keymap_fini(&h.known);
	vec_fini(&h.queues);
	vec_fini(&b->begun);
	vec_fini(&b->ended);
}
