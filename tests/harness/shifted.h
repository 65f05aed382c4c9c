/* shifted: a second time base whose every time the test chooses, so that what compares two bases
 * can be tested against numbers that are known. */
#pragma once

#include "model/trace/trace.h"

/* The time of a location's nth event, which `from` has at t. */
typedef int64_t shifted_time(void *context, uint32_t location, uint64_t nth, int64_t t);

/* Makes `base`. Times must not decrease along a location. */
void shifted_base(struct trace *trace, enum time_base base, enum time_base from, shifted_time *time,
		  void *context);
