/* load: opens a trace of any format, by its content. */
#ifndef TVIEW_MODEL_LOAD_H
#define TVIEW_MODEL_LOAD_H

#include "model/trace.h"

struct load_options {
	const char *as; /* format by name ("picl"), NULL: by content */
	bool strict;
	int jobs;
};

/* NULL with err: file and reason. */
struct trace *trace_load(const char *path, const struct load_options *options,
			 const struct progress *progress, struct err *err);

#endif
