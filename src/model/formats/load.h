/* load: opens a trace of any format, by its content. */
#pragma once

#include "model/build/load_options.h"

/* The prefix that makes a path the name of a running job (load_options.live). */
#define LOAD_LIVE "live:"
bool load_is_live(const char *path);
/* The name of the trace that the program makes itself (load_options.tutor). */
#define LOAD_TUTOR "tutor:"
bool load_is_tutor(const char *path);

/* Whether a path means all of the options' files. */
bool load_is_joined(const char *path, const struct load_options *options);

/* The code of the finding that a trace was written to while it was read. */
#define LOAD_CHANGED "source-changed"

/* NULL with err: file and reason; NULL with err untouched if progress dropped it. */
struct trace *trace_load(const char *path, const struct load_options *options,
			 const struct progress *progress, struct err *err);
