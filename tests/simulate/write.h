/* write: a simulated run as a trace: as a capture would have written it, through the ranks' clocks,
 * or as it was. */
#pragma once

#include "base/err.h"
#include "engine.h"
#include "model/trace/trace.h"

/* The trace of a run; NULL with err. With `truth` times are true, and nothing is said of clocks and
 * costs. */
struct trace *write_trace(const struct run *run, const struct settings *settings, bool truth,
			  const char *path, struct err *err);
