/* filter_from: the file of rules that belongs to the trace of an earlier run (tvcc --filter-from):
 * TRACE.filter, which `tview export filter` makes where it does not exist. Where it does, it is
 * read as it is: a person may have edited it, and a run with these rules does not say what the
 * probes cost that they leave out. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

/* Appends the file's path. A file that was made is named on standard error, with what it leaves
 * out; several processes make it once. False with err: tview cannot be run, or failed. */
bool filter_from_trace(const char *trace, struct str *path, struct err *err);
