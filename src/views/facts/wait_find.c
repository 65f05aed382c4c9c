#include "views/facts/wait_find.h"

#include <math.h>
#include <string.h>

#include "base/order.h"
#include "views/facts/time_range.h"
#include "views/query/analyses.h"
#include "views/query/wait_sums.h"

/* Most waits searched in one visit. */
enum { VISIT_WAITS = 4096 };

size_t wait_first(const struct analysis *analysis, uint32_t location, int64_t t)
{
	size_t low = 0, high;
	const struct wait *waits = analysis_waits(analysis, location, &high);

	BISECT(low, high, i, waits[i].begin < t);
	return low;
}

struct visit_waits waits_of_visit(const struct analysis *analysis, uint32_t location, uint32_t path,
				  int64_t t0, int64_t t1)
{
	const uint32_t canon = trace_callpath(analysis_trace(analysis), path)->canon;
	struct visit_waits found = { NULL, 0, 0 };
	size_t all, i = wait_first(analysis, location, t0);
	const struct wait *waits = analysis_waits(analysis, location, &all);
	const size_t stop = all - i > VISIT_WAITS ? i + VISIT_WAITS : all;

	for (; i < stop && (waits[i].begin < t1 || waits[i].begin == t0); i++) {
		if (!wait_counts(&waits[i]) || waits[i].path != canon)
			continue;
		found.n++;
		found.length += waits[i].length;
		if (!found.longest || waits[i].length > found.longest->length)
			found.longest = &waits[i];
	}
	return found;
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
	/* Backwards: a wait that begins early may last long, but few overlap. */
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

/* ---- lengths ---- */

void wait_bounds_begin(struct wait_bounds *b, const struct query *query, enum bounds_wish wish)
{
	static const enum time_base bases[] = { BASE_LOWER, BASE_UPPER };

	*b = (struct wait_bounds){ .pending = false };
	if (!query->analyses || query->base != BASE_COMPENSATED ||
	    !trace_has_base(query->trace, BASE_LOWER) || !trace_has_base(query->trace, BASE_UPPER))
		return;
	for (int i = 0; i < 2; i++) {
		if (!trace_base_make(query->trace, bases[i], query->progress, NULL))
			return;
		b->of[i] = wish == BOUNDS_WAIT
				   ? analyses_get(query->analyses, bases[i], query->progress, NULL)
				   : analyses_peek(query->analyses, bases[i]);
	}
	if (b->of[0] && b->of[1])
		return;
	*b = (struct wait_bounds){ .pending = wish == BOUNDS_PEEK };
}

/* The length of the same wait in another base; 0: it has none. */
static double length_in(const struct analysis *analysis, uint32_t location, const struct wait *w)
{
	enum { NEAR = 1024 }; /* waits that can overlap, or be in one call */
	const int64_t t =
		trace_event_time(analysis_trace(analysis), analysis_base(analysis), w->event);
	size_t n, i = wait_first(analysis, location, t == INT64_MAX ? t : t + 1);
	const struct wait *waits = analysis_waits(analysis, location, &n);

	for (unsigned steps = 0; i > 0 && steps < NEAR; steps++) {
		const struct wait *same = &waits[--i];
		if (same->event == w->event && same->metric == w->metric)
			return (double)same->length;
	}
	return 0;
}

bool wait_range(const struct wait_bounds *b, uint32_t location, const struct wait *w, double *low,
		double *high)
{
	*low = *high = (double)w->length;
	if (!b->of[0] || !b->of[1])
		return false;
	for (int i = 0; i < 2; i++) {
		const double length = length_in(b->of[i], location, w);
		*low = fmin(*low, length);
		*high = fmax(*high, length);
	}
	return true;
}

void wait_length_text(const struct wait_bounds *b, uint32_t location, const struct wait *w,
		      int digits, const struct timescale *scale, struct str *out)
{
	OWNED_STR least = STR_INIT, most = STR_INIT;
	double low, high;

	units_human_time(out, w->length, scale, digits);
	if (!wait_range(b, location, w, &low, &high))
		return;
	units_human_time(&least, llround(low), scale, digits);
	units_human_time(&most, llround(high), scale, digits);
	if (strcmp(least.text, most.text) != 0) {
		str_add(out, " [");
		time_range_text(out, low, high, digits, scale);
		str_add_char(out, ']');
	}
}

void wait_text(const struct trace *trace, const struct wait_bounds *bounds, uint32_t location,
	       const struct wait *wait, struct str *out)
{
	str_add(out, cube_metric_info((enum cube_metric)wait->metric)->title);
	str_add_char(out, ' ');
	wait_length_text(bounds, location, wait, 4, trace_scale(trace), out);
}
