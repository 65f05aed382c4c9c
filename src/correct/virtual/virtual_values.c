#include "correct/virtual/virtual_values.h"

#include <string.h>

#include "base/mem.h"
#include "model/trace/detail.h"
#include "model/trace/store.h"
#include "model/trace/virtual_metric.h"

uint32_t virtual_values_set(const struct trace *trace)
{
	for (uint32_t i = 0; i < trace_metric_set_count(trace); i++) {
		const struct metric_set *set = trace_metric_set(trace, i);
		uint32_t same = 0;
		for (uint32_t m = 0; set->n == VIRTUAL_METRICS && m < set->n; m++)
			if (set->metrics[m] < trace_metric_count(trace))
				same += !strcmp(trace_string(trace,
							     trace_metric(trace, set->metrics[m])
								     ->name),
						virtual_metric_text[m][0]);
		if (same == VIRTUAL_METRICS)
			return i;
	}
	return UINT32_MAX;
}

const uint64_t *virtual_values(const struct trace *trace, uint32_t set, uint32_t what)
{
	const struct detail *detail;
	const uint64_t *values;

	if (what_kind(what) != EV_METRIC || what_id(what) >= trace_detail_count(trace))
		return NULL;
	detail = trace_detail(trace, what_id(what));
	if (detail->type != DETAIL_METRIC || detail->n != 1 + VIRTUAL_METRICS)
		return NULL;
	values = trace_detail_values(trace, detail);
	return *values == set ? values + 1 : NULL;
}

int64_t virtual_ticks(const struct trace *trace, uint64_t nanoseconds)
{
	return (int64_t)((__int128)(int64_t)nanoseconds * (int64_t)trace_scale(trace)->per_second /
			 1000000000);
}

/* A call's bound is that of its end, and of all up to the end of the next one. */
static void bound_location(const struct trace *trace, uint32_t set, uint32_t location, int64_t *of)
{
	int64_t bound = 0;
	struct cursor c;
	bool any = false;

	for (bool ok = cursor_first(&c, trace, BASE_MEASURED, location); ok; ok = cursor_next(&c)) {
		const uint64_t *values = virtual_values(trace, set, cursor_what(&c));
		if (values) {
			any = true;
			bound = (int64_t)values[VIRTUAL_ERROR] < 0
					? VIRTUAL_NO_BOUND
					: virtual_ticks(trace, values[VIRTUAL_ERROR]);
		}
		of[c.id] = bound;
	}
	for (bool ok = !any && cursor_first(&c, trace, BASE_MEASURED, location); ok;
	     ok = cursor_next(&c))
		of[c.id] = VIRTUAL_NO_BOUND;
}

int64_t *virtual_bounds_new(const struct trace *trace)
{
	const uint32_t set = virtual_values_set(trace);
	uint64_t blocks = 0;
	int64_t *of;

	if (set == UINT32_MAX)
		return NULL;
	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		blocks += trace->lists.data[l].n;
	of = xcalloc(blocks * BLOCK_EVENTS, sizeof *of);
	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		bound_location(trace, set, l, of);
	return of;
}
