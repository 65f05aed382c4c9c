#include "views/facts/run_core.h"

#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "patterns/severity/region_metric.h"

/* Events of a location searched for the end of start-up and for the begin of the end; locations
 * that are searched. */
enum { EVENTS = 4096, LOCATIONS = 256 };

/* The role of a region at the ends of a run. */
enum part { PART_OTHER, PART_INIT, PART_FINALIZE, PART_MEASURING };

struct ends {
	const struct trace *trace;
	uint8_t *parts; /* [regions] enum part */
	bool overhead;  /* the core includes tool overhead */
};

static enum part part_of(const struct trace *trace, uint32_t region)
{
	if (trace_region(trace, region)->cls == CLASS_OVERHEAD)
		return PART_MEASURING;
	switch (region_call(trace, region)) {
	case CALL_INIT: return PART_INIT;
	case CALL_FINALIZE: return PART_FINALIZE;
	default: return PART_OTHER;
	}
}

/* The end of MPI_Init on a location; or, backward from its last event, the begin of MPI_Finalize.
 * Includes tool overhead right next to them, unless that counts as part of the core. */
static bool find_end(struct cursor *c, const struct ends *ends, bool forward, int64_t *time)
{
	const enum part sought = forward ? PART_INIT : PART_FINALIZE;
	const enum event_kind kind = forward ? EV_LEAVE : EV_ENTER;
	bool found = false, ok = true;

	for (int i = 0; ok && i < EVENTS; i++, ok = forward ? cursor_next(c) : cursor_prev(c)) {
		const uint32_t what = cursor_what(c);
		enum part part;

		if (what_kind(what) > EV_LEAVE)
			continue;
		part = (enum part)ends->parts[trace_callpath_region(ends->trace, what_id(what))];
		if (what_kind(what) == kind &&
		    (part == sought || (found && part == PART_MEASURING))) {
			*time = cursor_time(c);
			found = true;
			if (ends->overhead)
				break;
		} else if (found && part != PART_MEASURING) {
			break;
		}
	}
	return found;
}

struct span run_core(const struct trace *trace, enum time_base base, struct span run, bool overhead)
{
	const uint32_t regions = trace_region_count(trace), n = trace_location_count(trace);
	struct ends ends = { trace, xmalloc(regions + 1), overhead };
	struct span core = run;
	bool any = false;

	for (uint32_t r = 0; r < regions; r++) {
		ends.parts[r] = (uint8_t)part_of(trace, r);
		any = any || ends.parts[r] == PART_INIT || ends.parts[r] == PART_FINALIZE;
	}
	for (uint32_t l = 0; any && l < n && l < LOCATIONS; l++) {
		struct cursor c;
		int64_t t = 0;

		if (cursor_first(&c, trace, base, l) && find_end(&c, &ends, true, &t) &&
		    t > core.t0)
			core.t0 = t;
		if (cursor_last(&c, trace, base, l) && find_end(&c, &ends, false, &t) &&
		    t < core.t1)
			core.t1 = t;
	}
	free(ends.parts);
	/* Each process has looked at locations of its own. */
	if (any && trace_exchange(trace)) {
		core.t0 = exchange_latest(trace_exchange(trace), core.t0);
		core.t1 = -exchange_latest(trace_exchange(trace), -core.t1);
	}
	return core.t0 < core.t1 ? core : run;
}
