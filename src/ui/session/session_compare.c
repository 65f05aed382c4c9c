/* Two locations in two time bases, one above the other. */
#include "ui/session/session.h"

static void widen(struct span *span, int64_t t)
{
	span->t0 = t < span->t0 ? t : span->t0;
	span->t1 = t >= span->t1 ? t + 1 : span->t1;
}

static struct span events_span(const struct session *session, enum time_base base, int64_t shift)
{
	const struct comparison *c = &session->comparison;
	const int64_t at = trace_event_time(session->trace, base, c->send) - shift;
	struct span span = { at, at + 1 };

	if (c->recv != EVENT_NONE)
		widen(&span, trace_event_time(session->trace, base, c->recv) - shift);
	return span;
}

/* TOO_FAR: a window this many times wider than its events shows nothing of them. TOO_WIDE: a pair
 * that takes more than 1/TOO_WIDE of the run is too far apart. */
enum { TOO_FAR = 20, TOO_WIDE = 4 };

/* True if one window cannot show both: without measured offsets, clocks may be seconds apart. */
static bool is_far(const struct session *session, struct span before, struct span after)
{
	const struct comparison *c = &session->comparison;
	const int64_t shift = trace_event_time(session->trace, c->before, c->send) -
			      trace_event_time(session->trace, c->after, c->send);
	const int64_t wide = after.t1 - after.t0 + before.t1 - before.t0;

	return (shift < 0 ? -shift : shift) / TOO_FAR > wide || before.t0 < session->run.t0 ||
	       before.t1 > session->run.t1;
}

/* Both events in both bases, and as much again on either side. If one window cannot show that, the
 * sends are aligned; if the pair is too far apart even then, its arrow leaves the upper picture. */
static struct span span_of(struct session *session)
{
	struct comparison *c = &session->comparison;
	struct span span = events_span(session, c->after, 0);
	struct span before = events_span(session, c->before, 0);

	if (c->recv != EVENT_NONE && is_far(session, before, span)) {
		c->shift = trace_event_time(session->trace, c->before, c->send) -
			   trace_event_time(session->trace, c->after, c->send);
		before = events_span(session, c->before, c->shift);
	}
	if (before.t1 - before.t0 <= (session->run.t1 - session->run.t0) / TOO_WIDE) {
		widen(&span, before.t0);
		widen(&span, before.t1 - 1);
	}
	const int64_t room = span.t1 - span.t0;
	return (struct span){ span.t0 - room, span.t1 + room };
}

bool session_compare(struct session *session, uint32_t send, uint32_t recv, enum time_base before,
		     enum time_base after, struct err *err)
{
	struct comparison *c = &session->comparison;

	if (send == EVENT_NONE) { /* only one end is known */
		send = recv;
		recv = EVENT_NONE;
	}
	if (!session_make_base(session, before, err) || !session_make_base(session, after, err))
		return false;
	session_compare_end(session);
	*c = (struct comparison){ .send = send,
				  .recv = recv,
				  .before = before,
				  .after = after,
				  .window = session->window,
				  .undo = session->changes.undo.n,
				  .base = session->base,
				  .cursor_location = session->cursor.location,
				  .cursor_event = session->cursor.event,
				  .cursor_time = session->cursor.time };
	session->changes.held = true;
	const bool ok = session_set_base(session, after, err);
	session->changes.held = false;
	if (!ok)
		return false;
	c->on = true;
	session_show_window(session, span_of(session));
	session_go_event(session, recv == EVENT_NONE ? send : recv);
	session_rearranged(session);
	session->asked.goto_view = "timeline";
	session_notice(session, false, "%s above %s; %s goes back", time_base_name(before),
		       time_base_name(after), session_key(session, ACTION_BACK).text);
	return true;
}

void session_compare_end(struct session *session)
{
	struct comparison *c = &session->comparison;

	if (!c->on)
		return;
	c->on = false;
	/* The base exists already, so this cannot fail. */
	session->changes.held = true;
	session_set_base(session, c->base, NULL);
	session->changes.held = false;
	session_show_window(session, c->window);
	session->cursor.location = c->cursor_location;
	session->cursor.event = c->cursor_event;
	session->cursor.time = c->cursor_time;
	changes_cut(&session->changes, c->undo);
	session_rearranged(session);
}
