/* dump: all that a trace says, as text without numbers that are the store's own (of blocks, texts):
 * two traces are the same when their dumps are. */
#pragma once

#include "base/str.h"
#include "model/trace/trace.h"

void trace_dump(const struct trace *trace, struct str *out);
