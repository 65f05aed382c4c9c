/* summary: what tvrun tells people on standard error. */
#pragma once

#include "base/notice.h"
#include "capture/run/runopts.h"

/* A line: "tvrun: ...". */
#define print_line(...) notice_print("tvrun", __VA_ARGS__)

/* What is in a trace that was written, and what is not. */
void print_summary(const struct run_options *options, const char *path,
		   const struct merge_summary *summary, const struct trace *trace);
