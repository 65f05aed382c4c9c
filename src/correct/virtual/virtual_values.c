#include "correct/virtual/virtual_values.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/trace/detail.h"
#include "model/trace/store.h"
#include "model/trace/virtual_metric.h"

/* Older traces end with VIRTUAL_ERROR. */
enum { LEAST_METRICS = VIRTUAL_ERROR + 1 };

uint32_t virtual_values_set(const struct trace *trace)
{
	for (uint32_t i = 0; i < trace_metric_set_count(trace); i++) {
		const struct metric_set *set = trace_metric_set(trace, i);
		uint32_t same = 0;
		if (set->n < LEAST_METRICS || set->n > VIRTUAL_METRICS)
			continue;
		for (uint32_t m = 0; m < set->n; m++)
			if (set->metrics[m] < trace_metric_count(trace))
				same += !strcmp(trace_string(trace,
							     trace_metric(trace, set->metrics[m])
								     ->name),
						virtual_metric_text[m][0]);
		if (same == set->n)
			return i;
	}
	return UINT32_MAX;
}

int64_t virtual_ticks(const struct trace *trace, int64_t nanoseconds)
{
	return (int64_t)((__int128)nanoseconds * (int64_t)trace_scale(trace)->per_second /
			 1000000000);
}

static int64_t bound_of(const struct trace *trace, int64_t value)
{
	return value < 0 ? VIRTUAL_NO_BOUND : virtual_ticks(trace, value);
}

bool virtual_values(const struct trace *trace, uint32_t set, uint32_t what,
		    struct virtual_call *call)
{
	const struct detail *detail;
	const uint64_t *values;
	int64_t of[VIRTUAL_METRICS] = { 0 }, ticks[VIRTUAL_METRICS];

	if (what_kind(what) != EV_METRIC || what_id(what) >= trace_detail_count(trace))
		return false;
	detail = trace_detail(trace, what_id(what));
	if (detail->type != DETAIL_METRIC || detail->n < 1 + LEAST_METRICS ||
	    detail->n > 1 + VIRTUAL_METRICS)
		return false;
	values = trace_detail_values(trace, detail);
	if (*values != set)
		return false;
	memcpy(of, values + 1, (detail->n - 1) * sizeof *of);
	for (int i = 0; i < VIRTUAL_METRICS; i++)
		ticks[i] = virtual_ticks(trace, of[i]);
	*call = (struct virtual_call){
		.since = ticks[VIRTUAL_SINCE],
		.before = ticks[VIRTUAL_BEFORE],
		.left = ticks[VIRTUAL_LEFT],
		.unsure = detail->n > 1 + VIRTUAL_UNSURE ? bound_of(trace, of[VIRTUAL_UNSURE]) : 0,
		.error = bound_of(trace, of[VIRTUAL_ERROR]),
		.inside = of[VIRTUAL_INSIDE] > 0 ? ticks[VIRTUAL_INSIDE] : 0,
		.unshown = of[VIRTUAL_INSIDE]<0, .timed = detail->n> 1 + VIRTUAL_TIMED
				   ? ticks[VIRTUAL_TIMED]
				   : -1,
		.after = ticks[VIRTUAL_AFTER],
	};
	return true;
}

static int64_t larger_bound(int64_t a, int64_t b)
{
	if (a == VIRTUAL_NO_BOUND || b == VIRTUAL_NO_BOUND)
		return VIRTUAL_NO_BOUND;
	return a > b ? a : b;
}

static bool is_record(uint32_t what)
{
	return what_kind(what) == EV_ENTER || what_kind(what) == EV_LEAVE;
}

/* Ticks of regions of the tool up to an event. */
static int64_t measuring_between(struct cursor c, uint32_t end)
{
	int64_t sum = 0, last = cursor_time(&c);

	for (; c.id != end && cursor_next(&c); last = cursor_time(&c)) {
		const uint32_t what = cursor_what(&c);
		if (what_kind(what) == EV_LEAVE && what_id(what) &&
		    trace_callpath_class(c.trace, what_id(what)) == CLASS_OVERHEAD)
			sum += cursor_time(&c) - last;
	}
	return sum;
}

/* Bounds grow with each record: up to the end of a call they are taken for what they were where it
 * was entered. What was timed between two calls, but for regions of the tool, is anywhere there,
 * and so is in a call by how much intrusion changes in it. */
static void bound_location(const struct trace *trace, uint32_t set, uint32_t location, int64_t *of)
{
	int64_t bound = 0, left = INT64_MAX, inside;
	struct virtual_call call;
	struct cursor c, behind;
	bool any = false, some = cursor_first(&behind, trace, BASE_MEASURED, location);

	for (bool ok = cursor_first(&c, trace, BASE_MEASURED, location); ok; ok = cursor_next(&c)) {
		if (!virtual_values(trace, set, cursor_what(&c), &call))
			continue;
		any = true;
		const int64_t entered = cursor_time(&c) - call.since;
		int64_t spread = call.timed > 0 ? call.timed - measuring_between(behind, c.id) : 0;
		bound = larger_bound(bound, call.unsure);
		spread = bound == VIRTUAL_NO_BOUND || spread < 0 ? 0 : spread;
		inside = larger_bound(bound, call.error);
		if (inside != VIRTUAL_NO_BOUND)
			inside += llabs(call.left - call.before);
		for (; some && behind.id != c.id; some = cursor_next(&behind)) {
			const int64_t time = cursor_time(&behind);
			of[behind.id] = bound + (time > left && time < entered ? spread : 0);
			if (time > entered)
				of[behind.id] = inside;
			if (time >= cursor_time(&c))
				of[behind.id] = call.error;
		}
		left = cursor_time(&c);
		bound = call.error;
	}
	/* No cost of records after the last call was kept. */
	for (; some; some = cursor_next(&behind)) {
		any = any && !(cursor_time(&behind) > left && is_record(cursor_what(&behind)));
		of[behind.id] = any ? bound : VIRTUAL_NO_BOUND;
	}
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
