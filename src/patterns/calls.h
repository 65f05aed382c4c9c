/* calls: the call around an event of any location: what a communication partner knows, and the only
 * thing that wait states need of it.
 *
 * An event's call is the innermost region that is open at it. It is found by walking back over the
 * events of the call; calls with many events in them (MPI_Waitall) are looked up, so that asking for
 * each of their events is not quadratic. Threads: any number may ask. */
#ifndef TVIEW_PATTERNS_CALLS_H
#define TVIEW_PATTERNS_CALLS_H

#include "model/trace.h"
#include "patterns/region_metric.h"

struct calls;

struct call_span {
	uint32_t enter, leave; /* events; EVENT_NONE: not in the trace */
	int64_t en,
		lv;    /* ticks of the base; without the record the location's first or last time */
	uint32_t path; /* canonical, 0: no region is open */
};

struct calls *calls_new(const struct trace *trace, enum time_base base);
void calls_free(struct calls *calls);
struct call_span calls_of(const struct calls *calls, uint32_t event);

#endif
