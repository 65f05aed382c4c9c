/* trace_name: what the traces of a run are called: one for each job that its command ran, and each
 * that a trigger made. */
#pragma once

#include "model/trace/trace.h"

/* Appends `path` with text between its name and its extension: run-2.trc, run.1.trc.zst. */
void trace_name_with(struct str *out, const char *path, const char *text);

/* Appends `path`, or that of its compact form if the trace has `from` events or more (0: never);
 * whether it has. */
bool trace_name_form(struct str *out, const char *path, const struct trace *trace, uint64_t from);
/* The name of the compact form. */
void trace_name_compact(struct str *out, const char *path);
