/* Rows of messages and collectives. */
#include "model/trace/message.h"

#include <assert.h>

#include "base/order.h"
#include "model/trace/detail.h"
#include "model/trace/store.h"

uint32_t trace_message_count(const struct trace *trace)
{
	return store_message_count(trace);
}

const struct message *trace_message(const struct trace *trace, uint32_t id)
{
	assert(id < trace_message_count(trace));
	return store_message(trace, id);
}

int32_t message_source(const struct trace *trace, const struct message *m)
{
	if (m->flags & MSG_NO_SEND)
		return (int32_t)m->send;
	return trace->locations.data[trace_event_location(trace, m->send)].rank;
}

void messages_ahead(const struct trace *trace, enum time_base base, uint32_t row)
{
	enum { AHEAD = 12 };

	if (row + AHEAD >= trace_message_count(trace))
		return;
	const struct message *m = trace_message(trace, row + AHEAD);
	if (!(m->flags & MSG_NO_SEND))
		trace_event_near(trace, base, m->send);
	if (!(m->flags & MSG_NO_RECV))
		trace_event_near(trace, base, m->recv);
}

int32_t message_destination(const struct trace *trace, const struct message *m)
{
	if (m->flags & MSG_NO_RECV)
		return (int32_t)m->recv;
	return trace->locations.data[trace_event_location(trace, m->recv)].rank;
}

void message_span(const struct trace *trace, enum time_base base, const struct message *m,
		  int64_t *first, int64_t *last)
{
	int64_t sent, received;

	if (m->flags & MSG_NO_RECV) {
		*first = *last = trace_event_time(trace, base, m->send);
		return;
	}
	received = trace_event_time(trace, base, m->recv);
	sent = m->flags & MSG_NO_SEND ? received : trace_event_time(trace, base, m->send);
	*first = sent < received ? sent : received;
	*last = sent < received ? received : sent;
}

uint32_t trace_collective_count(const struct trace *trace)
{
	return store_collective_count(trace);
}

const struct collective *trace_collective(const struct trace *trace, uint32_t id)
{
	assert(id < trace_collective_count(trace));
	return store_collective(trace, id);
}

const struct member *trace_member(const struct trace *trace, uint32_t id)
{
	assert(id < store_member_count(trace));
	return store_member(trace, id);
}

uint32_t trace_member_collective(const struct trace *trace, uint32_t member)
{
	uint32_t low = 1, high = trace_collective_count(trace);

	BISECT(low, high, mid, store_collective(trace, mid)->first <= member);
	return low - 1;
}

void collective_span(const struct trace *trace, enum time_base base, const struct collective *c,
		     int64_t *begin, int64_t *end)
{
	for (uint32_t i = 0; i < c->members; i++) {
		const struct member *m = store_member(trace, c->first + i);
		const int64_t t0 = trace_event_time(trace, base, m->begin);
		const int64_t t1 =
			m->end == EVENT_NONE ? t0 : trace_event_time(trace, base, m->end);
		*begin = i == 0 || t0 < *begin ? t0 : *begin;
		*end = i == 0 || t1 > *end ? t1 : *end;
	}
}

static bool is_from_all(const struct trace *trace, uint32_t event)
{
	const struct event_attribute *a =
		event == EVENT_NONE ? NULL
				    : trace_event_attribute(trace, event, COLLECTIVE_FROM_ALL);

	return a && a->value == 1;
}

bool member_is_from_all(const struct trace *trace, const struct collective *c,
			const struct member *member)
{
	return is_from_all(trace, c->flags & COLL_REQUEST ? member->end : member->begin);
}

bool collective_is_from_all(const struct trace *trace, const struct collective *c)
{
	for (uint32_t i = 0; i < c->members; i++)
		if (!member_is_from_all(trace, c, store_member(trace, c->first + i)))
			return false;
	return !(c->flags & COLL_INCOMPLETE) && c->members > 0;
}

uint32_t collective_last(const struct trace *trace, enum time_base base, const struct collective *c)
{
	uint32_t last = EVENT_NONE;

	for (uint32_t i = 0; i < c->members; i++) {
		const uint32_t begin = store_member(trace, c->first + i)->begin;
		if (begin != EVENT_NONE &&
		    (last == EVENT_NONE ||
		     trace_event_time(trace, base, begin) > trace_event_time(trace, base, last)))
			last = begin;
	}
	return last;
}
