/* times: the times of all events of a location in a base, as a list. */
#pragma once

#include "model/trace/trace.h"

void assert_times(const struct trace *trace, enum time_base base, uint32_t location,
		  const int64_t *expected, size_t n);

#define TIMES(trace, base, location, ...)                                     \
	assert_times(trace, base, location, (const int64_t[]){ __VA_ARGS__ }, \
		     sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))
