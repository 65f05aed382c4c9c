#include "ui/run_core.h"

#include "patterns/region_metric.h"

/* Events of a location that are looked at for the ends of setting up and the begin of the end. */
enum { EVENTS = 4096, LOCATIONS = 256 };

static bool is_call(const struct trace *trace, uint32_t what, enum event_kind kind,
		    enum call_kind call)
{
	return what_kind(what) == kind &&
	       region_call(trace, trace_callpath_region(trace, what_id(what))) == call;
}

static bool is_measuring(const struct trace *trace, uint32_t what)
{
	return what_kind(what) <= EV_LEAVE &&
	       trace_region(trace, trace_callpath_region(trace, what_id(what)))->cls ==
		       CLASS_OVERHEAD;
}

/* The end of MPI_Init on a location, and of the measuring that follows on it at once. */
static bool find_begin(struct cursor *c, const struct trace *trace, bool measuring, int64_t *begin)
{
	bool found = false, ok = true;

	for (int i = 0; ok && i < EVENTS; i++, ok = cursor_next(c)) {
		const uint32_t what = cursor_what(c);

		if (is_call(trace, what, EV_LEAVE, CALL_INIT) ||
		    (found && what_kind(what) == EV_LEAVE && is_measuring(trace, what))) {
			*begin = cursor_time(c);
			found = true;
			if (measuring)
				break;
		} else if (found && what_kind(what) <= EV_LEAVE && !is_measuring(trace, what)) {
			break;
		}
	}
	return found;
}

static bool find_end(struct cursor *c, const struct trace *trace, bool measuring, int64_t *end)
{
	bool found = false, ok = true;

	for (int i = 0; ok && i < EVENTS; i++, ok = cursor_prev(c)) {
		const uint32_t what = cursor_what(c);

		if (is_call(trace, what, EV_ENTER, CALL_FINALIZE) ||
		    (found && what_kind(what) == EV_ENTER && is_measuring(trace, what))) {
			*end = cursor_time(c);
			found = true;
			if (measuring)
				break;
		} else if (found && what_kind(what) <= EV_LEAVE && !is_measuring(trace, what)) {
			break;
		}
	}
	return found;
}

struct span run_core(const struct trace *trace, enum time_base base, struct span run,
		     bool measuring)
{
	const uint32_t n = trace_location_count(trace);
	struct span core = run;

	for (uint32_t l = 0; l < n && l < LOCATIONS; l++) {
		struct cursor c;
		int64_t t = 0;

		if (cursor_first(&c, trace, base, l) && find_begin(&c, trace, measuring, &t) &&
		    t > core.t0)
			core.t0 = t;
		if (cursor_last(&c, trace, base, l) && find_end(&c, trace, measuring, &t) &&
		    t < core.t1)
			core.t1 = t;
	}
	return core.t0 < core.t1 ? core : run;
}
