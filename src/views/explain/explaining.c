#include "views/explain/explaining.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "model/trace/halo.h"
#include "views/facts/wait_find.h"

/* ---- lines ---- */

struct explain_line *explain_add(struct explain *e, unsigned depth, enum text_role role,
				 const char *fmt, ...)
{
	OWNED_STR text = STR_INIT;
	va_list args;

	va_start(args, fmt);
	str_add_fmt_v(&text, fmt, args);
	va_end(args);
	vec_push(&e->lines, ((struct explain_line){ .text = xstrdup(text.text),
						    .role = role,
						    .depth = (uint8_t)(depth < 255 ? depth : 255),
						    .location = UINT32_MAX,
						    .event = EVENT_NONE,
						    .wait = UINT32_MAX,
						    .path = UINT32_MAX,
						    .ticks = NAN }));
	return &e->lines.data[e->lines.n - 1];
}

void explain_lead(struct explain_line *line, const struct query *query, uint32_t event)
{
	if (event == EVENT_NONE)
		return;
	line->location = trace_event_location(query->trace, event);
	line->time = trace_event_time(query->trace, query->base, event);
	line->event = event;
	if (line->path == UINT32_MAX)
		line->path = trace_event_path(query->trace, event);
}

const char *explain_who(struct phrases *p, uint32_t location)
{
	return location == UINT32_MAX ? "another rank" : phrase_location(p, location);
}

/* ---- what it is about ---- */

/* The event that begins the visit which is open after the cursor's event. */
static uint32_t enter_of(struct cursor c, uint32_t path)
{
	enum { STEPS = 1 << 18 };
	const uint32_t wanted = what_make(EV_ENTER, path);

	for (int i = 0; i < STEPS; i++) {
		if (cursor_what(&c) == wanted)
			return c.id;
		if (!cursor_prev(&c))
			break;
	}
	return EVENT_NONE;
}

static bool is_of_message(uint32_t what)
{
	switch (what_kind(what)) {
	case EV_SEND:
	case EV_SEND_COMPLETE:
	case EV_RECV_REQUEST:
	case EV_RECV: return what_id(what) != ID_NONE;
	default: return false;
	}
}

static void find_wait(struct explain_subject *s, const struct query *query, int64_t t)
{
	const struct analysis *analysis = analyses_look(query->analyses, query->base);
	const struct wait *longest, *first;
	uint32_t leave;
	int64_t t0;
	size_t n;

	if (!analysis || s->enter == EVENT_NONE)
		return;
	leave = trace_event_partner(query->trace, s->enter);
	t0 = trace_event_time(query->trace, query->base, s->enter);
	longest =
		waits_of_visit(analysis, s->location, trace_event_path(query->trace, s->enter), t0,
			       leave == EVENT_NONE
				       ? t + 1
				       : trace_event_time(query->trace, query->base, leave))
			.longest;
	first = analysis_waits(analysis, s->location, &n);
	if (longest)
		s->wait = (uint32_t)(longest - first);
}

void explain_event(struct explain_subject *s, const struct query *query, uint32_t event)
{
	const struct trace *trace = query->trace;
	const struct analysis *analysis = analyses_look(query->analyses, query->base);
	const uint32_t what = trace_event_what(trace, event);
	struct cursor c;

	*s = (struct explain_subject){ trace_event_location(trace, event), UINT32_MAX, EVENT_NONE,
				       UINT32_MAX };
	cursor_at(&c, trace, query->base, event);
	s->enter = enter_of(c, trace_event_path(trace, event));
	if (is_of_message(what))
		s->message = what_id(what);
	if (analysis)
		s->wait = wait_of_event(analysis, event);
	if (s->wait == UINT32_MAX)
		find_wait(s, query, cursor_time(&c));
}

void explain_time(struct explain_subject *s, const struct query *query, uint32_t location,
		  int64_t t)
{
	const uint32_t path = trace_path_at(query->trace, query->base, location, t);
	struct cursor c;
	bool ok;

	*s = (struct explain_subject){ location, UINT32_MAX, EVENT_NONE, UINT32_MAX };
	ok = t < INT64_MAX && cursor_seek(&c, query->trace, query->base, location, t + 1)
		     ? cursor_prev(&c)
		     : cursor_last(&c, query->trace, query->base, location);
	if (ok && path)
		s->enter = enter_of(c, path);
	find_wait(s, query, t);
}

/* The message of a visit that sends or receives one: its first. */
static void find_message(struct explain_subject *s, const struct query *query)
{
	enum { STEPS = 4096 };
	const uint32_t path = s->enter == EVENT_NONE ? 0 : trace_event_path(query->trace, s->enter);
	struct cursor c;

	if (s->message != UINT32_MAX || path == 0 ||
	    trace_callpath_class(query->trace, path) == CLASS_USER)
		return;
	cursor_at(&c, query->trace, query->base, s->enter);
	for (int i = 0; i < STEPS && cursor_next(&c); i++) {
		if (what_kind(cursor_what(&c)) <= EV_LEAVE)
			return;
		if (is_of_message(cursor_what(&c))) {
			s->message = what_id(cursor_what(&c));
			return;
		}
	}
}

/* ---- all together ---- */

static void add_searching(struct explain *e, const struct query *query)
{
	const struct analyses_state state = analyses_state(query->analyses);

	explain_add(e, 0, TEXT_MUTED, "%s: the chain of causes follows",
		    state.busy && *state.what ? state.what : "searching for wait states");
	e->waiting = true;
}

static void add_chain(struct explain *e, const struct query *query, struct analysis *analysis)
{
	const struct causes *causes = query_causes(query, analysis);
	struct wait_bounds bounds;
	struct err err = ERR_INIT;

	wait_bounds_begin(&bounds, query,
			  query->export.waits_for_bounds ? BOUNDS_WAIT : BOUNDS_PEEK);
	e->waiting |= bounds.pending;
	/* A failure in the background is told by whoever asks first. */
	if (!causes && analyses_state(query->analyses).busy)
		add_searching(e, query);
	else if (!causes && analyses_trouble(query->analyses, &err))
		explain_add(e, 0, TEXT_ERROR, "%s", err.text);
	explain_chain(e, query, analysis, causes, &bounds);
}

void explain_wait(struct explain *e, const struct query *query, uint32_t location, uint32_t event)
{
	struct analysis *analysis = analyses_peek(query->analyses, query->base);
	const struct trace *trace = query->trace;

	*e = (struct explain){ .p = { .trace = trace } };
	if (trace_has_location(trace, location))
		explain_event(&e->subject, query, event);
	exchange_from(trace_exchange(trace), trace_process_of(trace, location), &e->subject,
		      sizeof e->subject);
	if (analysis && e->subject.wait != UINT32_MAX)
		add_chain(e, query, analysis);
}

/* The visit in which a wait was found. */
static uint32_t enter_of_wait(const struct query *query, const struct wait *w)
{
	struct cursor c;

	cursor_at(&c, query->trace, query->base, w->event);
	return enter_of(c, trace_event_path(query->trace, w->event));
}

/* What belongs to the subject and was not given. */
static void complete(struct explain_subject *s, const struct query *query,
		     const struct analysis *analysis)
{
	const struct wait *waits;
	size_t n = 0;

	/* What was asked before there was an analysis may be a wait. */
	if (analysis && s->wait == UINT32_MAX && s->enter != EVENT_NONE)
		find_wait(s, query, trace_event_time(query->trace, query->base, s->enter));
	waits = analysis ? analysis_waits(analysis, s->location, &n) : NULL;
	if (s->enter == EVENT_NONE && s->wait < n)
		s->enter = enter_of_wait(query, &waits[s->wait]);
	find_message(s, query);
}

void explain_begin(struct explain *e, const struct query *query,
		   const struct explain_subject *subject)
{
	struct analysis *analysis = analyses_peek(query->analyses, query->base);
	const struct trace *trace = query->trace;

	*e = (struct explain){ .subject = *subject, .p = { .trace = trace } };
	if (query->analyses && !analysis)
		add_searching(e, query);
	if (trace_has_location(trace, subject->location))
		complete(&e->subject, query, analysis);
	exchange_from(trace_exchange(trace), trace_process_of(trace, subject->location),
		      &e->subject, sizeof e->subject);
	if (analysis && e->subject.wait != UINT32_MAX)
		add_chain(e, query, analysis);
	if (e->subject.message != UINT32_MAX)
		explain_message_begin(e, query, analysis);
	if (e->subject.enter != EVENT_NONE)
		explain_visit_begin(e, query);
	if (e->lines.n == 0 && !e->visits && !e->latencies)
		explain_add(e, 0, TEXT_MUTED, "nothing to explain: no function is open here");
}

bool explain_work(struct explain *e, const struct query *query, int64_t nanoseconds)
{
	return explain_usual_work(e, query, nanoseconds);
}

void explain_fini(struct explain *e)
{
	for (size_t i = 0; i < e->lines.n; i++)
		free(e->lines.data[i].text);
	vec_fini(&e->lines);
	for (size_t i = 0; i < e->hops.n; i++)
		free(e->hops.data[i].text);
	vec_fini(&e->hops);
	phrases_fini(&e->p);
	explain_usual_fini(e);
	*e = (struct explain){ .visits = NULL };
}
