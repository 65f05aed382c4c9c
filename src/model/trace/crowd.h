/* crowd: did ranks share cores? Known of the node of rank 0 alone, whose cores are the property
 * "cores" (doc/format.md). */
#pragma once

#include "model/trace/trace.h"

struct crowd {
	uint32_t ranks; /* of that node, if they are more than its cores; else 0 */
	uint32_t cores; /* 0: not known */
};

/* O(locations). */
struct crowd trace_crowd(const struct trace *trace);
