/* library_messages: messages, collectives and their members as records. */
#include "base/mem.h"
#include "library/library_cursor.h"

static void close_rows(tview_cursor *c)
{
	row_walk_end(&c->rows.walk);
}

/* Where an event is; TVIEW_NONE without one. */
static uint32_t location_of(const struct trace *trace, uint32_t event)
{
	return event == EVENT_NONE ? TVIEW_NONE : trace_event_location(trace, event);
}

static uint32_t callpath_of(const struct trace *trace, uint32_t event)
{
	return event == EVENT_NONE ? 0 : trace_event_path(trace, event);
}

static int64_t time_of(const struct query *q, uint32_t event)
{
	return event == EVENT_NONE ? TVIEW_NO_TIME : trace_event_time(q->trace, q->base, event);
}

static uint64_t number_of(const struct trace *trace, uint32_t event)
{
	return event == EVENT_NONE ? TVIEW_NO_EVENT : trace_event_number(trace, event);
}

static int32_t rank_of(int32_t rank)
{
	return rank < 0 ? TVIEW_NO_RANK : rank;
}

/* ---- messages ---- */

static const struct tview_field message_fields[] = {
	LIBRARY_FIELD(tview_message, sent, 'q'),
	LIBRARY_FIELD(tview_message, received, 'q'),
	LIBRARY_FIELD(tview_message, bytes, 'q'),
	LIBRARY_FIELD(tview_message, send_event, 'Q'),
	LIBRARY_FIELD(tview_message, receive_event, 'Q'),
	LIBRARY_FIELD(tview_message, id, 'I'),
	LIBRARY_FIELD(tview_message, flags, 'I'),
	LIBRARY_FIELD(tview_message, source, 'i'),
	LIBRARY_FIELD(tview_message, destination, 'i'),
	LIBRARY_FIELD(tview_message, send_location, 'I'),
	LIBRARY_FIELD(tview_message, receive_location, 'I'),
	LIBRARY_FIELD(tview_message, send_callpath, 'I'),
	LIBRARY_FIELD(tview_message, receive_callpath, 'I'),
	LIBRARY_FIELD(tview_message, tag, 'i'),
	LIBRARY_FIELD(tview_message, comm, 'I'),
	{ NULL, 0, 0, { 0 } }
};

static uint32_t flags_of(const struct message *m)
{
	static const struct {
		uint16_t of;
		uint16_t flag;
	} flags[] = {
		{ MSG_NO_SEND, TVIEW_MESSAGE_NO_SEND },
		{ MSG_NO_RECV, TVIEW_MESSAGE_NO_RECEIVE },
		{ MSG_GUESSED | MSG_TURN_GUESSED, TVIEW_MESSAGE_GUESSED },
		{ MSG_BROADCAST, TVIEW_MESSAGE_BROADCAST },
		{ MSG_CANCELLED, TVIEW_MESSAGE_CANCELLED },
		{ MSG_RECV_PENDING, TVIEW_MESSAGE_PENDING },
		{ MSG_NO_BYTES, TVIEW_MESSAGE_NO_BYTES },
		{ MSG_NO_TAG, TVIEW_MESSAGE_NO_TAG },
	};
	uint32_t all = 0;

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		all |= m->flags & flags[i].of ? flags[i].flag : 0u;
	return all;
}

static bool open_messages(tview_cursor *c, struct err *err)
{
	(void)err;
	messages_walk_begin(&c->rows.walk, c->query);
	return true;
}

static bool next_message(tview_cursor *c, void *record)
{
	const struct query *q = c->query;
	const struct trace *trace = q->trace;
	const struct message *m;
	uint32_t id, send, receive;

	if (!row_walk_next(&c->rows.walk, &id))
		return false;
	m = trace_message(trace, id);
	send = m->flags & MSG_NO_SEND ? EVENT_NONE : m->send;
	receive = m->flags & MSG_NO_RECV ? EVENT_NONE : m->recv;
	*(struct tview_message *)record = (struct tview_message){
		.sent = time_of(q, send),
		.received = time_of(q, receive),
		.bytes = m->flags & MSG_NO_BYTES ? 0 : (int64_t)message_bytes(m),
		.send_event = number_of(trace, send),
		.receive_event = number_of(trace, receive),
		.id = id,
		.flags = flags_of(m),
		.source = rank_of(message_source(trace, m)),
		.destination = rank_of(message_destination(trace, m)),
		.send_location = location_of(trace, send),
		.receive_location = location_of(trace, receive),
		.send_callpath = callpath_of(trace, send),
		.receive_callpath = callpath_of(trace, receive),
		.tag = m->flags & MSG_NO_TAG ? 0 : m->tag,
		.comm = m->comm < trace_comm_count(trace) ? m->comm : TVIEW_NONE
	};
	return true;
}

const struct library_kind library_messages = { "messages",     sizeof(struct tview_message),
					       message_fields, open_messages,
					       next_message,   close_rows };

/* ---- collectives ---- */

static const struct tview_field collective_fields[] = {
	LIBRARY_FIELD(tview_collective, begin, 'q'),
	LIBRARY_FIELD(tview_collective, end, 'q'),
	LIBRARY_FIELD(tview_collective, id, 'I'),
	LIBRARY_FIELD(tview_collective, region, 'I'),
	LIBRARY_FIELD(tview_collective, comm, 'I'),
	LIBRARY_FIELD(tview_collective, root, 'i'),
	LIBRARY_FIELD(tview_collective, members, 'I'),
	LIBRARY_FIELD(tview_collective, incomplete, 'I'),
	{ NULL, 0, 0, { 0 } }
};

static bool open_collectives(tview_cursor *c, struct err *err)
{
	(void)err;
	collectives_walk_begin(&c->rows.walk, c->query);
	return true;
}

static bool next_collective(tview_cursor *c, void *record)
{
	const struct query *q = c->query;
	struct tview_collective *to = record;
	const struct collective *from;
	uint32_t id;

	if (!row_walk_next(&c->rows.walk, &id))
		return false;
	from = trace_collective(q->trace, id);
	*to = (struct tview_collective){ .id = id,
					 .region = from->region,
					 .comm = from->comm < trace_comm_count(q->trace)
							 ? from->comm
							 : TVIEW_NONE,
					 .root = rank_of(from->root),
					 .members = from->members,
					 .incomplete = (from->flags & COLL_INCOMPLETE) != 0 };
	collective_span(q->trace, q->base, from, &to->begin, &to->end);
	return true;
}

const struct library_kind library_collectives = {
	"collectives",     sizeof(struct tview_collective),
	collective_fields, open_collectives,
	next_collective,   close_rows
};

/* ---- members ---- */

static const struct tview_field member_fields[] = { LIBRARY_FIELD(tview_member, begin, 'q'),
						    LIBRARY_FIELD(tview_member, end, 'q'),
						    LIBRARY_FIELD(tview_member, sent, 'q'),
						    LIBRARY_FIELD(tview_member, received, 'q'),
						    LIBRARY_FIELD(tview_member, event, 'Q'),
						    LIBRARY_FIELD(tview_member, collective, 'I'),
						    LIBRARY_FIELD(tview_member, location, 'I'),
						    LIBRARY_FIELD(tview_member, callpath, 'I'),
						    { NULL, 0, 0, { 0 } } };

static int64_t bytes_of(uint64_t bytes)
{
	return bytes > INT64_MAX ? -1 : (int64_t)bytes;
}

static bool next_member(tview_cursor *c, void *record)
{
	const struct query *q = c->query;
	const struct member *from;
	uint32_t event;

	while (!c->begun || c->rows.member >= trace_collective(q->trace, c->rows.id)->members) {
		if (!row_walk_next(&c->rows.walk, &c->rows.id))
			return false;
		c->begun = true;
		c->rows.member = 0;
	}
	from = trace_member(q->trace,
			    trace_collective(q->trace, c->rows.id)->first + c->rows.member++);
	event = collective_event(from);
	*(struct tview_member *)record =
		(struct tview_member){ .begin = time_of(q, from->begin),
				       .end = time_of(q, from->end),
				       .sent = bytes_of(from->sent),
				       .received = bytes_of(from->received),
				       .event = number_of(q->trace, from->begin),
				       .collective = c->rows.id,
				       .location = location_of(q->trace, event),
				       .callpath = callpath_of(q->trace, event) };
	return true;
}

const struct library_kind library_members = { "members",     sizeof(struct tview_member),
					      member_fields, open_collectives,
					      next_member,   close_rows };
