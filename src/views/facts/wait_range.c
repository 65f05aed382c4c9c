#include "views/facts/wait_range.h"

#include <math.h>
#include <string.h>

#include "views/facts/time_range.h"
#include "views/facts/wait_find.h"
#include "views/query/analyses.h"

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

/* How long the same wait is in another base: 0 where there is none. */
static double length_in(const struct analysis *analysis, uint32_t location, const struct wait *w)
{
	enum { NEAR = 1024 }; /* waits that can lie upon each other, or in one call */
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
	struct str least = STR_INIT, most = STR_INIT;
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
	str_fini(&least);
	str_fini(&most);
}
