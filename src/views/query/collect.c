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

enum { MESSAGES_A_STEP = 1 << 14 };

static bool collect(const struct query *query, bool far, messages_visit *visit, void *context)
{
	OWNED bool *chosen = query->locations ? query_chosen(query) : NULL;
	struct span_query q;
	uint32_t id;
	bool go_on = true;
	uint64_t seen = 0;

	messages_in_window(&q, query->trace, query->base, query->t0, query->t1);
	while (go_on && span_query_next(&q, &id)) {
		const struct message *m = trace_message(query->trace, id);
		if (++seen % MESSAGES_A_STEP == 0 &&
		    !progress_step(query->progress, "messages", seen, 0))
			go_on = false;
		if ((!far && trace_message_is_far(query->trace, id)) ||
		    (chosen && !end_is_chosen(query, chosen, m)))
			continue;
		if (query->filter && !filter_message(query->filter, query->base, id))
			continue;
		go_on = go_on && visit(context, id, m);
	}
	return go_on;
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

enum { COLLECTIVES_A_STEP = 1 << 12 };

void collectives_collect(const struct query *query, collectives_visit *visit, void *context)
{
	OWNED bool *chosen = query->locations ? query_chosen(query) : NULL;
	struct span_query q;
	uint64_t seen = 0;
	uint32_t id;

	collectives_in_window(&q, query->trace, query->base, query->t0, query->t1);
	while (span_query_next(&q, &id)) {
		if (++seen % COLLECTIVES_A_STEP == 0 &&
		    !progress_step(query->progress, "collectives", seen, 0))
			break;
		const struct collective *c = trace_collective(query->trace, id);
		if (chosen && !member_is_chosen(query->trace, chosen, c))
			continue;
		if (query->filter && !filter_collective(query->filter, query->base, id))
			continue;
		visit(context, id, c);
	}
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
