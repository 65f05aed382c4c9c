/* crowd: did ranks share cores, or their threads? Known of the node of rank 0 alone: how many cores
 * it has is the property "cores" (doc/format.md). */
#pragma once

#include "model/trace/trace.h"

struct crowd {
	uint32_t ranks; /* of that node, if they are more than its cores; else 0 */
	uint32_t
		threads; /* the same of all threads there; the most that were there at once, between
			     their first and last events */
	uint32_t cores;  /* 0: not known */
};

/* O(n log n) of the locations there. */
struct crowd trace_crowd(const struct trace *trace);
