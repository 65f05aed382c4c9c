/* library_events: events and visits as records. */
#include "library/library_cursor.h"

#include "base/mem.h"

/* ---- events ---- */

static const struct tview_field event_fields[] = { LIBRARY_FIELD(tview_event, time, 'q'),
						   LIBRARY_FIELD(tview_event, id, 'Q'),
						   LIBRARY_FIELD(tview_event, location, 'I'),
						   LIBRARY_FIELD(tview_event, kind, 'I'),
						   LIBRARY_FIELD(tview_event, callpath, 'I'),
						   LIBRARY_FIELD(tview_event, of, 'I'),
						   { NULL, 0, 0, { 0 } } };

const char *tview_event_kind(uint32_t kind)
{
	return kind < EV_KINDS ? event_kind_name((enum event_kind)kind) : NULL;
}

/* The message or collective that an event is of. */
static uint32_t subject_of(const struct trace *trace, uint32_t what)
{
	const uint32_t id = what_id(what);

	switch (what_kind(what)) {
	case EV_SEND:
	case EV_SEND_COMPLETE:
	case EV_RECV_REQUEST:
	case EV_RECV:
	case EV_REQUEST_TEST:
	case EV_REQUEST_CANCELLED: return id < trace_message_count(trace) ? id : TVIEW_NONE;
	case EV_COLLECTIVE_BEGIN:
	case EV_COLLECTIVE_END:
		return id == ID_NONE ? TVIEW_NONE : trace_member_collective(trace, id);
	default: return TVIEW_NONE;
	}
}

static bool open_events(tview_cursor *c, struct err *err)
{
	(void)err;
	event_merge_init(&c->events, c->query);
	return true;
}

static bool next_event(tview_cursor *c, void *record)
{
	const struct query *q = c->query;
	struct tview_event *event = record;
	const struct cursor *at;
	bool ok;

	do {
		ok = c->begun ? event_merge_event(&c->events) != EVENT_NONE &&
					event_merge_next(&c->events)
			      : event_merge_first(&c->events);
		c->begun = true;
	} while (ok && q->filter &&
		 !filter_event(q->filter, q->base, event_merge_event(&c->events)));
	if (!ok)
		return false;
	at = event_merge_cursor(&c->events);
	*event = (struct tview_event){ .time = cursor_time(at),
				       .id = trace_event_number(q->trace, at->id),
				       .location = at->location,
				       .kind = what_kind(cursor_what(at)),
				       .callpath = event_merge_path(&c->events),
				       .of = subject_of(q->trace, cursor_what(at)) };
	return true;
}

static void close_events(tview_cursor *c)
{
	event_merge_fini(&c->events);
}

const struct library_kind library_events = { "events",     sizeof(struct tview_event),
					     event_fields, open_events,
					     next_event,   close_events };

/* ---- visits ---- */

static const struct tview_field visit_fields[] = { LIBRARY_FIELD(tview_visit, begin, 'q'),
						   LIBRARY_FIELD(tview_visit, end, 'q'),
						   LIBRARY_FIELD(tview_visit, exclusive, 'q'),
						   LIBRARY_FIELD(tview_visit, event, 'Q'),
						   LIBRARY_FIELD(tview_visit, location, 'I'),
						   LIBRARY_FIELD(tview_visit, callpath, 'I'),
						   LIBRARY_FIELD(tview_visit, region, 'I'),
						   LIBRARY_FIELD(tview_visit, open, 'I'),
						   { NULL, 0, 0, { 0 } } };

static bool open_visits(tview_cursor *c, struct err *err)
{
	(void)err;
	call_walk_init(&c->calls.walk, c->query);
	c->calls.row = ROW_NONE;
	return true;
}

static bool next_visit(tview_cursor *c, void *record)
{
	struct tview_visit *visit = record;
	struct call call;

	if (c->begun && c->calls.row == ROW_NONE)
		return false;
	c->calls.row = c->begun ? call_walk_next(&c->calls.walk, c->calls.row)
				: call_walk_first(&c->calls.walk);
	c->begun = true;
	if (c->calls.row == ROW_NONE)
		return false;
	call = call_walk_call(&c->calls.walk, c->calls.row);
	*visit = (struct tview_visit){ .begin = call.begin,
				       .end = call.end,
				       .exclusive = call.exclusive,
				       .event = trace_event_number(c->query->trace, call.enter),
				       .location = call.location,
				       .callpath = call.path,
				       .region = trace_callpath_region(c->query->trace, call.path),
				       .open = call.leave == EVENT_NONE };
	return true;
}

static void close_visits(tview_cursor *c)
{
	call_walk_fini(&c->calls.walk);
}

const struct library_kind library_visits = { "visits",     sizeof(struct tview_visit),
					     visit_fields, open_visits,
					     next_visit,   close_visits };
