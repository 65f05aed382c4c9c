/* What follows from what is selected, and what other views need of it. */
#include "ui/session/selection.h"

#include "model/trace/message.h"
#include "model/trace/visit_walk.h"
#include "views/explain/explaining.h"
#include "views/facts/wait_find.h"
#include "views/query/analyses.h"

static const struct selection none = { UINT32_MAX, EVENT_NONE,          UINT32_MAX, UINT32_MAX,
				       UINT32_MAX, UINT32_MAX,          UINT32_MAX, BASE_MEASURED,
				       CUBE_NONE,  { 0, 0, GRAPH_NONE } };

bool selection_same(const struct selection *a, const struct selection *b)
{
	return a->location == b->location && a->event == b->event && a->path == b->path &&
	       a->region == b->region && a->message == b->message &&
	       a->collective == b->collective && a->wait == b->wait && a->metric == b->metric &&
	       a->place.file == b->place.file && a->place.line == b->place.line &&
	       a->place.node == b->place.node;
}

bool selection_is_none(const struct selection *s)
{
	return selection_same(s, &none);
}

static uint32_t canonical(const struct trace *trace, uint32_t path)
{
	return path < trace_callpath_count(trace) ? trace_callpath(trace, path)->canon : UINT32_MAX;
}

/* ---- from a view ---- */

void selection_of_thing(struct selection *s, const struct query *query, struct row_thing thing)
{
	switch (thing.kind) {
	case THING_REGION: s->region = thing.id; break;
	case THING_CALLPATH: s->path = canonical(query->trace, thing.id); break;
	case THING_LOCATION: s->location = thing.id; break;
	case THING_EVENT: s->event = thing.id; break;
	case THING_MESSAGE: s->message = thing.id; break;
	case THING_COLLECTIVE: s->collective = thing.id; break;
	case THING_SEND: s->event = thing.id == EVENT_NONE ? thing.of : thing.id; break;
	case THING_METRIC: s->metric = (uint8_t)thing.id; break;
	case THING_RANKS:
		s->location = trace_location_of_rank(query->trace, (int32_t)thing.of);
		break;
	case THING_WAIT:
		s->location = thing.of;
		s->wait = thing.id;
		s->base = query->base;
		break;
	default: break;
	}
}

/* ---- what follows ---- */

static const struct wait *wait_of(const struct selection *s, const struct query *query)
{
	const struct analysis *analysis = analyses_look(query->analyses, query->base);
	const struct wait *waits;
	size_t n;

	if (!analysis || s->wait == UINT32_MAX || s->base != query->base)
		return NULL;
	waits = analysis_waits(analysis, s->location, &n);
	return s->wait < n ? &waits[s->wait] : NULL;
}

/* The message or collective of an event, and of the call that it enters: its first. */
static void add_partners(struct selection *s, const struct query *query)
{
	enum { STEPS = 4096 };
	const struct trace *trace = query->trace;
	struct cursor c;

	cursor_at(&c, trace, query->base, s->event);
	for (int i = 0; i < STEPS; i++) {
		const uint32_t what = cursor_what(&c), id = what_id(what);

		switch (what_kind(what)) {
		case EV_SEND:
		case EV_SEND_COMPLETE:
		case EV_RECV_REQUEST:
		case EV_RECV: s->message = id; break;
		case EV_COLLECTIVE_BEGIN:
		case EV_COLLECTIVE_END:
			if (id != ID_NONE)
				s->collective = trace_member_collective(trace, id);
			break;
		case EV_ENTER:
		case EV_LEAVE:
			if (i > 0)
				return;
			break;
		default: break;
		}
		if (s->message != UINT32_MAX || s->collective != UINT32_MAX ||
		    (i == 0 && what_kind(what) != EV_ENTER) || !cursor_next(&c))
			return;
	}
}

static void add_wait(struct selection *s, const struct query *query)
{
	struct explain_subject subject;
	const struct wait *wait;

	explain_event(&subject, query, s->event);
	s->wait = subject.wait;
	s->base = query->base;
	wait = wait_of(s, query);
	if (wait && s->metric == CUBE_NONE)
		s->metric = wait->metric;
}

/* Where one end of a message is missing it is the other one. */
static uint32_t end_of_message(const struct trace *trace, uint32_t message)
{
	const struct message *m = trace_message(trace, message);

	return m->flags & MSG_NO_SEND ? m->flags & MSG_NO_RECV ? EVENT_NONE : m->recv : m->send;
}

void selection_complete(struct selection *s, const struct query *query)
{
	const struct trace *trace = query->trace;
	const struct wait *wait = wait_of(s, query);

	if (wait) {
		s->metric = wait->metric;
		s->path = wait->path;
		if (s->event == EVENT_NONE)
			s->event = wait->event;
	}
	if (s->event == EVENT_NONE && s->message != UINT32_MAX)
		s->event = end_of_message(trace, s->message);
	if (s->event == EVENT_NONE && s->collective != UINT32_MAX)
		s->event =
			collective_last(trace, query->base, trace_collective(trace, s->collective));
	if (s->event != EVENT_NONE) {
		s->location = trace_event_location(trace, s->event);
		if (s->path == UINT32_MAX)
			s->path = canonical(trace, trace_event_path(trace, s->event));
		if (s->message == UINT32_MAX && s->collective == UINT32_MAX)
			add_partners(s, query);
		if (s->wait == UINT32_MAX)
			add_wait(s, query);
	}
	if (s->region == UINT32_MAX && s->path != UINT32_MAX && s->path != 0)
		s->region = trace_callpath_region(trace, s->path);
}

/* ---- an event to go to ---- */

struct longest {
	uint32_t event;
	int64_t length;
};

static bool is_of(const struct selection *s, const struct trace *trace, uint32_t path)
{
	return s->path != UINT32_MAX ? trace_callpath(trace, path)->canon == s->path
				     : trace_callpath_region(trace, path) == s->region;
}

static void longest_visit(const struct selection *s, const struct query *query, uint32_t location,
			  struct longest *best)
{
	enum { LOOK = 1 << 15 };
	const struct trace *trace = query->trace;
	uint32_t event = EVENT_NONE, depth = 0, steps = 0;
	int64_t since = 0;
	struct visit_walk w;
	bool ok = visit_walk_begin(&w, trace, query->base, location, query->t0, query->t1);

	for (; ok; ok = visit_walk_next(&w)) {
		const enum event_kind kind = visit_walk_kind(&w);

		if (++steps % LOOK == 0 && query_stopped(query))
			return;
		if (kind == EV_ENTER && event == EVENT_NONE && is_of(s, trace, w.next)) {
			event = w.c.id;
			depth = trace_callpath(trace, w.next)->depth;
			since = w.to;
			continue;
		}
		if (event == EVENT_NONE ||
		    !(kind == EV_KINDS ||
		      (kind == EV_LEAVE && trace_callpath(trace, w.next)->depth < depth)))
			continue;
		if (w.to - since > best->length)
			*best = (struct longest){ event, w.to - since };
		event = EVENT_NONE;
	}
	/* The run ended inside it. */
	if (event != EVENT_NONE && w.to - since > best->length)
		*best = (struct longest){ event, w.to - since };
}

static void longest_wait(const struct selection *s, const struct query *query,
			 const struct analysis *analysis, uint32_t location, struct longest *best)
{
	size_t n;
	const struct wait *waits = analysis_waits(analysis, location, &n);

	for (size_t i = wait_first(analysis, location, query->t0); i < n; i++) {
		if (waits[i].begin >= query->t1)
			break;
		if (wait_counts(&waits[i]) && waits[i].length > best->length &&
		    wait_is_of(&waits[i], (enum cube_metric)s->metric) &&
		    (s->path == UINT32_MAX || s->path == 0 || waits[i].path == s->path))
			*best = (struct longest){ waits[i].event, waits[i].length };
	}
}

uint32_t selection_event(const struct selection *s, const struct query *query)
{
	const struct analysis *analysis =
		s->metric == CUBE_NONE ? NULL : analyses_look(query->analyses, query->base);
	const uint32_t n = query_location_count(query);
	struct longest best = { EVENT_NONE, -1 };

	if (s->event != EVENT_NONE)
		return s->event;
	for (int visits = 0; visits < 2 && best.event == EVENT_NONE; visits++) {
		if (visits ? s->region == UINT32_MAX && (s->path == UINT32_MAX || s->path == 0)
			   : !analysis)
			continue;
		for (uint32_t i = 0; i < n; i++) {
			const uint32_t location = query_location(query, i);

			if ((s->location != UINT32_MAX && location != s->location) ||
			    (query->filter && !filter_location(query->filter, location)))
				continue;
			if (!progress_step(query->progress, "looking for the longest visit", i, n))
				return EVENT_NONE;
			if (visits)
				longest_visit(s, query, location, &best);
			else
				longest_wait(s, query, analysis, location, &best);
		}
	}
	return query_stopped(query) ? EVENT_NONE : best.event;
}

/* Whether a call path or one of its callers is of the selection. */
static bool is_within(const struct selection *s, const struct trace *trace, uint32_t path)
{
	if (s->region == UINT32_MAX && s->path == UINT32_MAX)
		return true;
	for (; path; path = trace_callpath(trace, path)->parent)
		if (is_of(s, trace, path))
			return true;
	return s->path == 0;
}

/* Whether an event is part of the message or the collective. */
static bool is_part(const struct selection *s, const struct query *query, uint32_t event)
{
	struct selection at = none;

	at.event = event;
	if (s->message == UINT32_MAX && s->collective == UINT32_MAX)
		return true;
	add_partners(&at, query);
	return at.message == s->message && at.collective == s->collective;
}

bool selection_holds(const struct selection *s, const struct query *query, uint32_t location,
		     int64_t time, uint32_t event)
{
	const struct trace *trace = query->trace;
	const struct wait *wait = wait_of(s, query);

	if (event != EVENT_NONE && event == s->event)
		return true;
	if (s->message != UINT32_MAX || s->collective != UINT32_MAX) {
		if (event == EVENT_NONE || !is_part(s, query, event))
			return false;
		/* Either end of a message: its views go on from where one is. */
		return s->wait == UINT32_MAX || location == s->location;
	}
	if (s->location != UINT32_MAX && s->location != location)
		return false;
	if (wait)
		return time >= wait->begin && time <= wait->begin + wait->length;
	if (s->event != EVENT_NONE)
		return false;
	if (s->metric != CUBE_NONE && s->wait == UINT32_MAX && s->path == UINT32_MAX)
		return false;
	return is_within(s, trace,
			 event == EVENT_NONE ? trace_path_at(trace, query->base, location, time)
					     : trace_event_path(trace, event));
}

/* ---- rows ---- */

struct row_thing selection_thing(const struct selection *s, const struct trace *trace,
				 enum thing_kind kind)
{
	uint32_t id = UINT32_MAX, of = 0;

	switch (kind) {
	case THING_REGION: id = s->region; break;
	case THING_CALLPATH: id = s->path; break;
	case THING_LOCATION: id = s->location; break;
	case THING_EVENT: id = s->event == EVENT_NONE ? UINT32_MAX : s->event; break;
	case THING_MESSAGE: id = s->message; break;
	case THING_COLLECTIVE: id = s->collective; break;
	case THING_METRIC: id = s->metric == CUBE_NONE ? UINT32_MAX : s->metric; break;
	case THING_WAIT:
		id = s->wait;
		of = s->location;
		break;
	case THING_RANKS:
		if (s->message == UINT32_MAX)
			break;
		id = (uint32_t)message_source(trace, trace_message(trace, s->message));
		of = (uint32_t)message_destination(trace, trace_message(trace, s->message));
		return (struct row_thing){ kind, id, of };
	default: break;
	}
	return id == UINT32_MAX ? (struct row_thing){ THING_NONE, 0, 0 }
				: (struct row_thing){ kind, id, of };
}

bool selection_subject(const struct selection *s, const struct query *query,
		       struct explain_subject *subject)
{
	const uint32_t event = selection_event(s, query);

	if (event == EVENT_NONE)
		return false;
	explain_event(subject, query, event);
	if (s->wait != UINT32_MAX && s->base == query->base) {
		subject->location = s->location;
		subject->wait = s->wait;
	}
	if (s->message != UINT32_MAX)
		subject->message = s->message;
	return true;
}
