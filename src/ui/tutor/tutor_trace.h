/* tutor_trace: the run that the tutor shows, made by code: a program on four ranks in which one
 * does a part of the work three times and the others wait for it. The same at each call.
 *
 *	struct trace *trace = tutor_trace(&err);
 *	... tutor_source() is the text of its one source file, heat.c, whose lines the trace names
 */
#pragma once

#include "model/trace/trace.h"

enum { TUTOR_RANKS = 4, TUTOR_LATE_RANK = 2, TUTOR_STEPS = 10, TUTOR_MORE = 3 };

/* Of load_options.tutor. The caller's; NULL with err: no memory for it. */
struct trace *tutor_trace(struct err *err);
const char *tutor_source(void);
