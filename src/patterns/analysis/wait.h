/* wait: one wait state: a location waited, when, in which call, for what. The instances that make
 * up the severities; what the timeline draws, the list of the worst shows and `explain` explains.
 *
 * [begin, begin + length) is the waiting part of the call, in ticks of the base it was found in. */
#pragma once

#include "model/trace/trace.h"
#include "patterns/severity/cube_metric.h"

enum wait_flag {
	WAIT_COLLECTIVE =
		1 << 0,         /* of a collective: `partner` is the begin of the one waited for */
	WAIT_EXTENDED = 1 << 1, /* nonblocking or neighbourhood collective, persistent request: by
				   the obvious extension of the formula */
	WAIT_WRONG_ORDER =
		1 << 2, /* Late Sender: another order of receives would have avoided it */
	WAIT_SAME_SOURCE = 1 << 3, /* with that: from the same source */
	WAIT_EMPTY = 1 << 4,       /* message without payload */
	WAIT_ELSEWHERE = 1 << 6,   /* what was waited for is in another process (base/exchange.h):
				    `partner` is its location */
	WAIT_PART = 1 << 5, /* also in a metric that it is a part of (Late Complete, Early Fence),
			       or completion: no waiting time beyond another instance's */
};

struct wait {
	uint32_t event;   /* that it was found at: the receive, the send or its completion, the
			     member's   end, the leave of the call */
	uint32_t partner; /* what was waited for: the send, the request of the receive, the begin of
			     the last party; EVENT_NONE unknown */
	uint32_t path;    /* of the waiting call, canonical */
	uint8_t metric; /* enum cube_metric: the SOURCE_FOUND one, CUBE_MPI_LATESENDER for those in
			   the wrong order, too */
	uint8_t flags;  /* enum wait_flag */
	uint16_t reserved;
	int64_t begin, length; /* ticks; length > 0 */
};

/* The location that was waited for, UINT32_MAX unknown. */
static inline uint32_t wait_partner(const struct trace *trace, const struct wait *wait)
{
	if (wait->partner == EVENT_NONE || wait->flags & WAIT_ELSEWHERE)
		return wait->partner;
	return trace_event_location(trace, wait->partner);
}
