#include "correct/virtual/virtual_compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
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
		if (p.beyond && cursor_time(&c) < out->first_time) {
			out->first_time = cursor_time(&c);
			out->first_location = location;
			out->first_path = trace_event_path(trace, c.id);
		}
	}
}

/* Joins what all processes found. */
static void share(struct virtual_comparison *out, struct exchange *x)
{
	OWNED_VEC(struct virtual_comparison) all = VEC_INIT;
	const struct virtual_comparison *one;

	if (!x)
		return;
	vec_push(&all, *out);
	out->events = out->without = out->beyond = 0;
	exchange_rows(x, &all);
	vec_each (one, &all) {
		out->events += one->events;
		out->without += one->without;
		out->beyond += one->beyond;
		out->most = one->most > out->most ? one->most : out->most;
		if (one->first_time > out->first_time ||
		    (one->first_time == out->first_time &&
		     one->first_location >= out->first_location))
			continue;
		out->first_time = one->first_time;
		out->first_location = one->first_location;
		out->first_path = one->first_path;
	}
}

void virtual_compare(struct virtual_comparison *out, const struct trace *trace)
{
	OWNED int64_t *bounds = NULL;

	*out = (struct virtual_comparison){ .first_time = INT64_MAX, .first_location = UINT32_MAX };
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
	share(out, trace_exchange(trace));
	out->state = out->events ? VIRTUAL_COMPARED : VIRTUAL_UNBOUNDED;
}
