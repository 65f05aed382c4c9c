#include "ui/timeline/panel/wait_follow.h"

#include "views/facts/wait_find.h"

/* The event that begins the waiting call, where the wait begins with it; else what the wait was
 * found at. */
static uint32_t first_event(const struct trace *trace, enum time_base base, uint32_t location,
			    const struct wait *wait)
{
	enum { STEPS = 256 };
	struct cursor c;
	bool ok = cursor_seek(&c, trace, base, location, wait->begin);

	for (int i = 0; ok && i < STEPS && cursor_time(&c) == wait->begin;
	     i++, ok = cursor_next(&c))
		if (what_kind(cursor_what(&c)) == EV_ENTER &&
		    trace_callpath(trace, what_id(cursor_what(&c)))->canon == wait->path)
			return c.id;
	return wait->event;
}

void wait_go(struct session *s, uint32_t location, uint32_t index)
{
	const struct analysis *analysis = analyses_peek(s->analyses, s->base);
	size_t n;
	const struct wait *waits = analysis ? analysis_waits(analysis, location, &n) : NULL;
	uint32_t event;

	if (!waits || index >= n)
		return;
	event = first_event(s->trace, s->base, location, &waits[index]);
	session_set_cursor(s, location, trace_event_time(s->trace, s->base, event), event);
}

/* Metrics that have no waits (time, visits) choose none. */
static enum cube_metric chosen_metric(const struct session *s)
{
	const enum cube_metric metric = (enum cube_metric)s->metric;
	const bool is = metric != CUBE_NONE && cube_metric_info(metric)->unit == UNIT_TICKS &&
			cube_metric_within(metric, CUBE_TIME);

	return is ? metric : CUBE_NONE;
}

bool wait_follow(struct session *s, int direction)
{
	const struct analysis *analysis = analyses_peek(s->analyses, s->base);
	const enum cube_metric metric = chosen_metric(s);
	const uint32_t location = s->cursor.location;
	const struct wait *waits;
	size_t n, i;

	if (!analysis) {
		session_notice(s, false, "wait states are being looked for: a moment");
		return false;
	}
	waits = analysis_waits(analysis, location, &n);
	/* The cursor is on the wait's first event, or on the one that it was found at. */
	i = wait_first(analysis, location, s->cursor.time);
	const size_t here =
		s->cursor.event == EVENT_NONE ? SIZE_MAX : wait_of_event(analysis, s->cursor.event);
	if (direction > 0) {
		if (here < n && here >= i)
			i = here + 1;
		while (i < n && (!wait_counts(&waits[i]) || !wait_is_of(&waits[i], metric)))
			i++;
	} else {
		if (here < i && waits[here].event == s->cursor.event)
			i = here;
		while (i > 0 && (!wait_counts(&waits[i - 1]) || !wait_is_of(&waits[i - 1], metric)))
			i--;
		i = i > 0 ? i - 1 : n;
	}
	if (i >= n) {
		session_notice(s, false, "no %s %s on this location",
			       direction > 0 ? "further" : "earlier",
			       metric == CUBE_NONE ? "wait state"
						   : cube_metric_info(metric)->title);
		return false;
	}
	wait_go(s, location, (uint32_t)i);
	return true;
}
