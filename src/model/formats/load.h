/* load: opens a trace of any format, by its content. */
#pragma once

#include "model/build/load_options.h"

/* NULL with err: file and reason. */
struct trace *trace_load(const char *path, const struct load_options *options,
			 const struct progress *progress, struct err *err);
