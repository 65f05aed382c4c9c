/* summary: what tvrun tells people on standard error. */
#pragma once

#include "capture/run/runopts.h"

/* A line: "tvrun: ...". */
void print_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What is in a trace that was written, and what is not. */
void print_summary(const struct run_options *options, const char *path,
		   const struct merge_summary *summary, const struct trace *trace);
