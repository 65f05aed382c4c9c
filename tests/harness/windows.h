/* windows: two windows that meet sum up to the one around them. For fuzzing. */
#pragma once

#include "model/trace/trace.h"

/* NULL when the profiles of a trace before and after a time are that of all; else what does not
 * hold (static text). Times that reach the ends of 64 bits are passed over. */
const char *windows_broken(const struct trace *trace, int64_t middle);
