/* load_trace: a trace of a file as the file has it now, not of its cache; fails the test where it
 * cannot. */
#ifndef TVIEW_TESTS_HARNESS_LOAD_TRACE_H
#define TVIEW_TESTS_HARNESS_LOAD_TRACE_H

#include "model/trace/trace.h"

struct trace *load_trace(const char *path);

#endif
