/* invariants: what holds for every trace, whatever it was made from. For fuzzing and for tests of
 * readers. */
#pragma once

#include "model/trace/trace.h"

/* NULL when all of it holds; else a sentence that says what does not (static text). Looks at
 * everything: events, call paths, messages, collectives, the class shading, the profile. */
const char *trace_broken(struct trace *trace);
