/* crowd: did ranks share cores, or their threads? Known of the node of rank 0 alone: how many cores
 * it has is the property "cores" (doc/format.md). */
#pragma once

#include "model/trace/trace.h"

/* Of that node; 0 where they are not more than its cores. */
struct crowd {
	uint32_t ranks;
	uint32_t threads; /* the most at once, between their first and last events */
	uint32_t cores;   /* 0: not known */
};

/* Seconds of the clock, whatever an iteration takes: a rank that waits for a core on a busy machine
 * loses some time slices. */
#define HICCUP       0.03
/* Where there are one or two: the longest of many. */
#define HICCUP_ALONE (2 * HICCUP)

/* O(n log n) of the locations there. */
/* Where several processes share the trace, all call it. */
struct crowd trace_crowd(const struct trace *trace);
