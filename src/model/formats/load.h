/* load: opens a trace of any format, by its content. */
#pragma once

#include "model/build/load_options.h"

/* Before the name of a job that runs, where a path is asked for (load_options.live). */
#define LOAD_LIVE "live:"
bool load_is_live(const char *path);

/* NULL with err: file and reason. */
struct trace *trace_load(const char *path, const struct load_options *options,
			 const struct progress *progress, struct err *err);
