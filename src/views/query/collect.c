/* Visits the messages and collectives that a query selects. */
#include <stdlib.h>

#include "base/exchange.h"
#include "model/trace/copy.h"
#include "model/trace/halo.h"
#include "views/query/view_common.h"

/* A message is chosen if one of its ends is. */
static bool end_is_chosen(const struct query *query, const bool *chosen, const struct message *m)
{
	if (!(m->flags & MSG_NO_SEND) && chosen[trace_event_location(query->trace, m->send)])
		return true;
	return !(m->flags & MSG_NO_RECV) && chosen[trace_event_location(query->trace, m->recv)];
}

enum { MESSAGES_A_STEP = 1 << 14, COLLECTIVES_A_STEP = 1 << 12 };

uint32_t collective_event(const struct member *member)
{
	return member->begin != EVENT_NONE ? member->begin : member->end;
}

static bool member_is_chosen(const struct trace *trace, const bool *chosen,
			     const struct collective *c)
{
	for (uint32_t i = 0; i < c->members; i++) {
		const uint32_t event = collective_event(trace_member(trace, c->first + i));
		if (event != EVENT_NONE && chosen[trace_event_location(trace, event)])
			return true;
	}
	return false;
}

/* ---- walks ---- */

static void walk_begin(struct row_walk *w, const struct query *query)
{
	*w = (struct row_walk){ .query = query,
				.chosen = query->locations ? query_chosen(query) : NULL };
}

void messages_walk_begin(struct row_walk *w, const struct query *query)
{
	walk_begin(w, query);
	messages_in_window(&w->span, query->trace, query->base, query->t0, query->t1);
}

void collectives_walk_begin(struct row_walk *w, const struct query *query)
{
	walk_begin(w, query);
	collectives_in_window(&w->span, query->trace, query->base, query->t0, query->t1);
}

void row_walk_end(struct row_walk *w)
{
	free(w->chosen);
}

static bool message_is_asked(const struct row_walk *w, uint32_t id)
{
	const struct query *q = w->query;

	if ((!w->far && trace_message_is_far(q->trace, id)) ||
	    (w->chosen && !end_is_chosen(q, w->chosen, trace_message(q->trace, id))))
		return false;
	return !q->filter || filter_message(q->filter, q->base, id);
}

static bool collective_is_asked(const struct row_walk *w, uint32_t id)
{
	const struct query *q = w->query;

	if (w->chosen && !member_is_chosen(q->trace, w->chosen, trace_collective(q->trace, id)))
		return false;
	return !q->filter || filter_collective(q->filter, q->base, id);
}

bool row_walk_next(struct row_walk *w, uint32_t *id)
{
	const bool collectives = w->span.collectives;
	const uint64_t step = collectives ? COLLECTIVES_A_STEP : MESSAGES_A_STEP;

	while (!w->stopped && span_query_next(&w->span, id)) {
		w->stopped = ++w->seen % step == 0 &&
			     !progress_step(w->query->progress,
					    collectives ? "collectives" : "messages", w->seen, 0);
		if (!w->stopped &&
		    (collectives ? collective_is_asked(w, *id) : message_is_asked(w, *id)))
			return true;
	}
	return false;
}

/* ---- visitors ---- */

static bool collect(const struct query *query, bool far, messages_visit *visit, void *context)
{
	struct row_walk w;
	uint32_t id;
	bool go_on = true;

	messages_walk_begin(&w, query);
	w.far = far;
	while (go_on && row_walk_next(&w, &id))
		go_on = visit(context, id, trace_message(query->trace, id));
	row_walk_end(&w);
	return go_on && !w.stopped;
}

bool messages_collect(const struct query *query, messages_visit *visit, void *context)
{
	return collect(query, false, visit, context);
}

bool message_ends_collect(const struct query *query, messages_visit *visit, void *context)
{
	return collect(query, true, visit, context);
}

static bool copy_is_chosen(const struct query *query, const bool *chosen, const struct copy *copy)
{
	return chosen[trace_event_location(query->trace, copy->begin)] ||
	       (copy->other != UINT32_MAX && chosen[copy->other]);
}

bool copies_collect(const struct query *query, copies_visit *visit, void *context)
{
	OWNED bool *chosen = query->locations ? query_chosen(query) : NULL;
	struct copy_query q;
	uint64_t seen = 0;
	uint32_t id;

	copies_in_window(&q, query->trace, query->base, query->t0, query->t1);
	while (copy_query_next(&q, &id)) {
		const struct copy *copy = trace_copy(query->trace, id);

		if (++seen % MESSAGES_A_STEP == 0 &&
		    !progress_step(query->progress, "copies", seen, 0))
			return false;
		if ((!chosen || copy_is_chosen(query, chosen, copy)) &&
		    (!query->filter || filter_event(query->filter, query->base, copy->begin)) &&
		    !visit(context, id, copy))
			return false;
	}
	return true;
}

void collectives_collect(const struct query *query, collectives_visit *visit, void *context)
{
	struct row_walk w;
	uint32_t id;

	collectives_walk_begin(&w, query);
	while (row_walk_next(&w, &id))
		visit(context, id, trace_collective(query->trace, id));
	row_walk_end(&w);
}

static bool count_reversed(void *context, uint32_t id, const struct message *m)
{
	struct reversed_messages *r = context;
	int64_t by;

	(void)id;
	if (!message_arrived(m))
		return true;
	by = trace_event_time(r->query->trace, r->query->base, m->send) -
	     trace_event_time(r->query->trace, r->query->base, m->recv);
	r->matched++;
	if (by > 0)
		r->count++;
	if (by > r->worst)
		r->worst = by;
	return true;
}

struct reversed_messages messages_reversed(const struct query *query)
{
	struct reversed_messages r = { .query = query };
	struct exchange *x = trace_exchange(query->trace);

	messages_collect(query, count_reversed, &r);
	r.matched = exchange_count(x, r.matched);
	r.count = exchange_count(x, r.count);
	r.worst = exchange_latest(x, r.worst);
	return r;
}
