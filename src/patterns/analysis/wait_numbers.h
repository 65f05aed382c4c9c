/* wait_numbers: the events of wait states as numbers that mean the same in all processes
 * (trace_event_number()), also where what was waited for is in another process. */
#pragma once

#include "patterns/analysis/analysis.h"

struct wait_numbers {
	uint64_t event, partner; /* UINT64_MAX unknown */
};

/* A wait by its index in analysis_waits(). */
struct wait_place {
	uint32_t location, index;
};

/* For a wait of one-sided communication with WAIT_ELSEWHERE: the number of the event that it waited
 * for, UINT64_MAX unknown. O(log waits). */
uint64_t wait_number_elsewhere(const struct analysis *analysis, uint32_t location, uint32_t event);
/* [n] The caller's. Where processes share the trace, all of them call it, each for waits of its own
 * locations. O(n), there O(collectives log collectives) more. */
struct wait_numbers *wait_numbers_of(const struct analysis *analysis,
				     const struct wait_place *waits, size_t n);
