#include "correct/virtual/virtual_compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "correct/virtual/virtual_values.h"

/* Intrusion is written in whole nanoseconds, each figure rounded. */
enum { ROUNDED = 2 };

struct virtual_pair virtual_pair_of(const struct trace *trace, const int64_t *bounds,
				    uint32_t event)
{
	const int64_t compensated = trace_event_time(trace, BASE_COMPENSATED, event);
	const int64_t rounding = virtual_ticks(trace, ROUNDED);
	struct virtual_pair p = { .difference = trace_event_time(trace, BASE_VIRTUAL, event) -
						compensated,
				  .virtual_bound = bounds[event] };

	p.compensated_bound = p.difference < 0
				      ? compensated - trace_event_time(trace, BASE_LOWER, event)
				      : trace_event_time(trace, BASE_UPPER, event) - compensated;

	p.beyond = p.virtual_bound >= 0 &&
		   llabs(p.difference) > p.virtual_bound + p.compensated_bound + rounding;
	return p;
}

bool virtual_compares(const struct trace *trace, enum time_base base, enum time_base against)
{
	return ((base == BASE_VIRTUAL && against == BASE_COMPENSATED) ||
		(base == BASE_COMPENSATED && against == BASE_VIRTUAL)) &&
	       trace_has_base(trace, BASE_VIRTUAL) && trace_has_base(trace, BASE_COMPENSATED) &&
	       trace_has_base(trace, BASE_LOWER) && trace_has_base(trace, BASE_UPPER);
}

static void compare_location(struct virtual_comparison *out, const struct trace *trace,
			     const int64_t *bounds, uint32_t location)
{
	int64_t first = out->first == EVENT_NONE
				? INT64_MAX
				: trace_event_time(trace, BASE_VIRTUAL, out->first);
	struct cursor c;

	for (bool ok = cursor_first(&c, trace, BASE_VIRTUAL, location); ok; ok = cursor_next(&c)) {
		const struct virtual_pair p = virtual_pair_of(trace, bounds, c.id);
		if (p.virtual_bound < 0) {
			out->without++;
			continue;
		}
		out->events++;
		out->beyond += p.beyond;
		if (p.beyond && llabs(p.difference) > out->most)
			out->most = llabs(p.difference);
		if (p.beyond && cursor_time(&c) < first) {
			first = cursor_time(&c);
			out->first = c.id;
		}
	}
}

void virtual_compare(struct virtual_comparison *out, const struct trace *trace)
{
	OWNED int64_t *bounds = NULL;

	*out = (struct virtual_comparison){ .first = EVENT_NONE };
	if (!trace_has_base(trace, BASE_VIRTUAL))
		return;
	out->crowd = trace_crowd(trace);
	out->state = VIRTUAL_NO_COMPENSATED;
	if (!virtual_compares(trace, BASE_VIRTUAL, BASE_COMPENSATED))
		return;
	bounds = virtual_bounds_new(trace);
	if (!bounds)
		return;
	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		compare_location(out, trace, bounds, l);
	out->state = out->events ? VIRTUAL_COMPARED : VIRTUAL_UNBOUNDED;
}
