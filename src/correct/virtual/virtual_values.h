/* virtual_values: what ranks said of their virtual time in a trace (model/trace/virtual_metric.h),
 * and how much each event's may be wrong. */
#pragma once

#include "model/trace/trace.h"

/* The set of metrics of virtual times; UINT32_MAX: the trace has none. */
uint32_t virtual_values_set(const struct trace *trace);
#define VIRTUAL_NO_BOUND (-1)

/* Of a call of MPI; ticks. Older traces do not know all. */
struct virtual_call {
	int64_t since;         /* it was entered so long ago */
	int64_t before, left;  /* intrusion there, and where it was left */
	int64_t unsure, error; /* bounds of their errors, or VIRTUAL_NO_BOUND */
	int64_t inside;        /* from its entry until MPI was called, 0 of a thread's wait */
	bool unshown;          /* it waited for a thread that no event shows, or was born */
	int64_t timed;         /* of `before`, since the call before; negative: not known */
	int64_t after;         /* what recording took after it */
};
/* False: the event has no values of the set. */
bool virtual_values(const struct trace *trace, uint32_t set, uint32_t what,
		    struct virtual_call *call);
/* Nanoseconds, which may be negative, in ticks. */
int64_t virtual_ticks(const struct trace *trace, int64_t nanoseconds);

/* The bound of the error of each event's virtual time [event], ticks;
 * VIRTUAL_NO_BOUND where there is none: the location kept no virtual time, or took a message out of
 * order before. The caller frees it. NULL: the trace has no virtual times. */
int64_t *virtual_bounds_new(const struct trace *trace);
