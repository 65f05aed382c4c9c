/* calls: the call around an event of any location: what a communication partner knows, and the only
 * thing that wait states need of it.
 *
 * An event's call is the innermost region that is open at it. It is found by walking back over the
 * events of the call; calls with many events in them (MPI_Waitall) are looked up, so that asking
 * for each of their events is not quadratic. Threads: any number may ask. */
#pragma once

#include "model/trace/trace.h"
#include "patterns/severity/region_metric.h"

struct calls;

struct call_span {
	uint32_t enter, leave; /* events; EVENT_NONE: not in the trace */
	int64_t en,
		lv;    /* ticks of the base; without the record the location's first or last time */
	uint32_t path; /* canonical, 0: no region is open */
};

/* One pass over the events, by up to `jobs` threads. NULL: progress stopped it. */
struct calls *calls_new(const struct trace *trace, enum time_base base, unsigned jobs,
			const struct progress *progress);
void calls_free(struct calls *calls);
/* O(events around it in its block, and one block for each level that is open in between). */
struct call_span calls_of(const struct calls *calls, uint32_t event);
/* The same of a call that communicates: where no region of communication is open, the event itself
 * is all that there is of it. */
struct call_span calls_meeting(const struct calls *calls, uint32_t event);
/* When the call around a message's end began, as far as the trace says: where no region of
 * communication is open, the time of the event itself. */
int64_t calls_enter(const struct calls *calls, uint32_t event);
/* What a call path's innermost region does (region_call()); O(1). */
enum call_kind calls_kind(const struct calls *calls, uint32_t path);

/* The event that posted the receive of a message: its request, else the receive itself; EVENT_NONE
 * where the trace has none. */
uint32_t calls_post(const struct calls *calls, uint32_t message);
/* One of its ends was started with MPI_Start or MPI_Startall. */
bool calls_persistent(const struct calls *calls, uint32_t message);
