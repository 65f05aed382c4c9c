/* device_facts: how much of the window the devices of ranks are at work, from their streams.
 *
 * The streams of a rank (of a process where there are no ranks) are taken together: its devices are
 * busy while one of them computes or copies, they only communicate while none does but one is in a
 * collective operation, and are idle for the rest. Where several processes share the trace, all
 * make them, and have them of all. O(events of streams x log streams of a rank). */
#pragma once

#include "views/query/view.h"

struct device_facts {
	uint32_t programs; /* ranks with streams among the query's locations */
	uint64_t time;     /* ticks: programs x window */
	uint64_t busy, communicating;
	uint32_t idlest;      /* location of the rank whose devices are idle longest, of equals the
			    first; UINT32_MAX: none has a stream */
	uint64_t idlest_time; /* ticks, of the window */
	uint32_t top;         /* region with the most exclusive time on streams; UINT32_MAX */
	uint64_t top_time;    /* ticks, of all streams */
	uint64_t stream_time; /* ticks: streams x window */
	uint32_t lost;        /* streams whose last records are lost: idle may be work */
};

/* Of the whole window; a filter is not asked. */
void device_facts_make(struct device_facts *facts, const struct query *query);
