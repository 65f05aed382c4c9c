/* virtual_values: what ranks said of their virtual time in a trace (model/trace/virtual_metric.h),
 * and how much each event's may be wrong. */
#pragma once

#include "model/trace/trace.h"

/* The set of metrics of virtual times; UINT32_MAX: the trace has none. */
uint32_t virtual_values_set(const struct trace *trace);
/* The values [enum virtual_metric] of an event; NULL: it has none of that set. */
const uint64_t *virtual_values(const struct trace *trace, uint32_t set, uint32_t what);
/* Nanoseconds, which may be negative, in ticks. */
int64_t virtual_ticks(const struct trace *trace, uint64_t nanoseconds);

#define VIRTUAL_NO_BOUND (-1)

/* The bound of the error of each event's virtual time [event], ticks;
 * VIRTUAL_NO_BOUND where there is none: the location kept no virtual time, or took a message out of
 * order before. The caller frees it. NULL: the trace has no virtual times. */
int64_t *virtual_bounds_new(const struct trace *trace);
