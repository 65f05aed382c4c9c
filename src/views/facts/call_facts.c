#include "views/facts/call_facts.h"

#include "model/trace/message.h"

void call_source_init(struct call_source *s, const struct query *query)
{
	int64_t begin;

	*s = (struct call_source){ .trace = query->trace, .base = query->base };
	trace_span(query->trace, query->base, &begin, &s->run_end);
	s->ends = visit_ends_new(query->trace);
}

void call_source_fini(struct call_source *s)
{
	visit_ends_free(s->ends);
	s->ends = NULL;
}

uint32_t calls_open_before(const struct call_source *s, uint32_t location, int64_t t0,
			   struct call_enters *enters)
{
	uint32_t path = 0, after = EVENT_NONE;
	struct cursor at;

	if (cursor_seek(&at, s->trace, s->base, location, t0)) {
		path = cursor_path_before(&at);
		if (cursor_prev(&at))
			after = at.id;
	} else if (cursor_last(&at, s->trace, s->base, location)) {
		path = cursor_path(&at);
		after = at.id;
	}
	for (uint32_t d = 1; d <= trace_callpath(s->trace, path)->depth; d++)
		vec_push(&enters->list,
			 after == EVENT_NONE ? EVENT_NONE : visit_ends_enter(s->ends, after, d));
	return path;
}

struct call call_of(const struct call_source *s, uint32_t enter)
{
	const uint32_t leave = visit_ends_partner(s->ends, enter);

	return (struct call){
		.enter = enter,
		.leave = leave,
		.location = trace_event_location(s->trace, enter),
		.path = what_id(trace_event_what(s->trace, enter)),
		.begin = trace_event_time(s->trace, s->base, enter),
		.end = leave == EVENT_NONE ? s->run_end
					   : trace_event_time(s->trace, s->base, leave),
	};
}

/* Moves to the next event inside the call that is in no call inside it; from the enter of one of
 * those to its leave. False: there is none. */
static bool next_inside(const struct call_source *s, const struct call *call, struct cursor *c)
{
	if (c->id != call->enter && what_kind(cursor_what(c)) == EV_ENTER) {
		const uint32_t leave = visit_ends_partner(s->ends, c->id);
		if (leave == EVENT_NONE || leave == call->leave) /* it closes both */
			return false;
		cursor_at(c, s->trace, s->base, leave);
		return true;
	}
	return cursor_next(c) && c->id != call->leave;
}

int64_t call_exclusive(const struct call_source *s, const struct call *call)
{
	int64_t inside = 0, since = 0;
	struct cursor c;

	cursor_at(&c, s->trace, s->base, call->enter);
	while (next_inside(s, call, &c)) {
		if (what_kind(cursor_what(&c)) == EV_ENTER) {
			since = cursor_time(&c);
			inside += call->end - since; /* until its leave is seen */
		} else if (what_kind(cursor_what(&c)) == EV_LEAVE) {
			inside -= call->end - cursor_time(&c);
		}
	}
	return call->end - call->begin - inside;
}

static void add_bytes(struct call_traffic *t, uint64_t bytes)
{
	if (bytes != UINT64_MAX)
		t->bytes = (t->bytes == UINT64_MAX ? 0 : t->bytes) + bytes;
}

/* Both ends of a message may be seen in one call, and its request beside its completion. */
struct seen {
	uint32_t message;
	bool several; /* partners */
};

static void add_message(const struct trace *trace, uint32_t id, bool sent, struct call_traffic *t,
			struct seen *seen)
{
	const struct message *m;
	int32_t partner;

	if (id >= trace_message_count(trace) || id == seen->message)
		return;
	m = trace_message(trace, id);
	partner = sent ? message_destination(trace, m) : message_source(trace, m);
	seen->several |= (sent && m->flags & MSG_BROADCAST) ||
			 (seen->message != ID_NONE && partner != t->partner);
	seen->message = id;
	t->partner = partner;
	t->comm = m->comm;
	add_bytes(t, m->flags & MSG_NO_BYTES ? UINT64_MAX : message_bytes(m));
}

static void add_member(const struct trace *trace, uint32_t id, bool end, struct call_traffic *t)
{
	const struct member *member = trace_member(trace, id);

	t->comm = trace_collective(trace, trace_member_collective(trace, id))->comm;
	add_bytes(t, end ? member->received : member->sent);
}

struct call_traffic call_traffic(const struct call_source *s, const struct call *call)
{
	const enum region_class cls = trace_callpath_class(s->trace, call->path);
	struct call_traffic t = { UINT64_MAX, RANK_UNKNOWN, UINT32_MAX };
	struct seen seen = { ID_NONE, false };
	struct cursor c;

	if (cls == CLASS_USER)
		return t;
	cursor_at(&c, s->trace, s->base, call->enter);
	while (next_inside(s, call, &c)) {
		const uint32_t what = cursor_what(&c), id = what_id(what);

		switch (what_kind(what)) {
		case EV_SEND:
		case EV_SEND_COMPLETE: add_message(s->trace, id, true, &t, &seen); break;
		case EV_RECV_REQUEST:
		case EV_RECV: add_message(s->trace, id, false, &t, &seen); break;
		case EV_COLLECTIVE_BEGIN:
		case EV_COLLECTIVE_END:
			if (id != ID_NONE)
				add_member(s->trace, id, what_kind(what) == EV_COLLECTIVE_END, &t);
			break;
		case EV_IO: add_bytes(&t, trace_io_bytes(s->trace, id)); break;
		default: break;
		}
	}
	if (seen.several)
		t.partner = RANK_UNKNOWN;
	return t;
}
