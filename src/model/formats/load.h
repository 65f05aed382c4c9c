/* load: opens a trace of any format, by its content. */
#ifndef TVIEW_MODEL_FORMATS_LOAD_H
#define TVIEW_MODEL_FORMATS_LOAD_H

#include "model/build/load_options.h"

/* NULL with err: file and reason. */
struct trace *trace_load(const char *path, const struct load_options *options,
			 const struct progress *progress, struct err *err);

#endif
