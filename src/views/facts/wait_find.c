#include "views/facts/wait_find.h"

#include "views/facts/wait_range.h"
#include "views/facts/wait_sums.h"

/* More waits than anybody wants to hear of in one visit. */
enum { VISIT_WAITS = 4096 };

size_t wait_first(const struct analysis *analysis, uint32_t location, int64_t t)
{
	size_t n, low = 0, high;
	const struct wait *waits = analysis_waits(analysis, location, &n);

	for (high = n; low < high;) {
		const size_t mid = low + (high - low) / 2;

		if (waits[mid].begin < t)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct wait *wait_of_visit(const struct analysis *analysis, uint32_t location, uint32_t path,
				 int64_t t0, int64_t t1, size_t *n)
{
	const uint32_t canon = trace_callpath(analysis_trace(analysis), path)->canon;
	const struct wait *best = NULL;
	size_t all, i = wait_first(analysis, location, t0);
	const struct wait *waits = analysis_waits(analysis, location, &all);
	const size_t stop = all - i > VISIT_WAITS ? i + VISIT_WAITS : all;

	*n = 0;
	for (; i < stop && (waits[i].begin < t1 || waits[i].begin == t0); i++) {
		if (!wait_counts(&waits[i]) || waits[i].path != canon)
			continue;
		++*n;
		if (!best || waits[i].length > best->length)
			best = &waits[i];
	}
	return best;
}

uint32_t wait_of_event(const struct analysis *analysis, uint32_t event)
{
	const struct trace *trace = analysis_trace(analysis);
	const uint32_t location = trace_event_location(trace, event);
	const int64_t t = trace_event_time(trace, analysis_base(analysis), event);
	size_t n, i;
	const struct wait *waits = analysis_waits(analysis, location, &n);
	uint32_t inside = UINT32_MAX;
	unsigned steps = 0;

	if (t == INT64_MAX)
		return UINT32_MAX;
	/* Backwards: waits that begin early may last long, but few lie upon each other. */
	for (i = wait_first(analysis, location, t + 1); i > 0 && steps < VISIT_WAITS; steps++) {
		const struct wait *w = &waits[--i];

		if (!wait_counts(w))
			continue;
		if (w->event == event)
			return (uint32_t)i;
		if (inside == UINT32_MAX && t < w->begin + w->length)
			inside = (uint32_t)i;
	}
	return inside;
}

bool wait_is_of(const struct wait *wait, enum cube_metric metric)
{
	if (metric == CUBE_NONE || cube_metric_within((enum cube_metric)wait->metric, metric))
		return true;
	switch (metric) {
	case CUBE_MPI_LATESENDER_WO: return wait->flags & WAIT_WRONG_ORDER;
	case CUBE_MPI_LSWO_SAME:
		return (wait->flags & WAIT_WRONG_ORDER) && (wait->flags & WAIT_SAME_SOURCE);
	case CUBE_MPI_LSWO_DIFFERENT:
		return (wait->flags & WAIT_WRONG_ORDER) && !(wait->flags & WAIT_SAME_SOURCE);
	default: return false;
	}
}

void wait_text(const struct trace *trace, const struct wait_bounds *bounds, uint32_t location,
	       const struct wait *wait, struct str *out)
{
	str_add(out, cube_metric_info((enum cube_metric)wait->metric)->title);
	str_add_char(out, ' ');
	wait_length_text(bounds, location, wait, 4, trace_scale(trace), out);
}

/* ---- moving ---- */

/* The event that begins the waiting call, where the wait begins with it; else what the wait was found at. */
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
	const uint32_t location = s->cursor_location;
	const struct wait *waits;
	size_t n, i;

	if (!analysis) {
		session_notice(s, false, "wait states are being looked for: a moment");
		return false;
	}
	waits = analysis_waits(analysis, location, &n);
	/* The cursor stands on the wait's first event, or on the one that it was found at. */
	i = wait_first(analysis, location, s->cursor_time);
	const size_t here =
		s->cursor_event == EVENT_NONE ? SIZE_MAX : wait_of_event(analysis, s->cursor_event);
	if (direction > 0) {
		if (here < n && here >= i)
			i = here + 1;
		while (i < n && (!wait_counts(&waits[i]) || !wait_is_of(&waits[i], metric)))
			i++;
	} else {
		if (here < i && waits[here].event == s->cursor_event)
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
