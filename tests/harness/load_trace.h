/* load_trace: a trace of a file as the file has it now, not of its cache; fails the test where it
 * cannot. */
#pragma once

#include "model/trace/trace.h"

struct trace *load_trace(const char *path);
