/* keep: results computed from a whole trace that are stored with it, and in its cache file, so that
 * the next start has them at once.
 *
 * A result is a value of fixed size without pointers, found by a name and a number (the time base,
 * say). Threads: no other thread may use the trace during keep_put(). */
#pragma once

#include "model/trace/trace.h"

/* Copies the result into `value`; false if none of that name and size is kept. */
bool keep_get(const struct trace *trace, const char *name, uint32_t number, void *value,
	      size_t bytes);
/* Keeps a copy, and replaces an earlier one. Names have at most 23 characters. */
void keep_put(const struct trace *trace, const char *name, uint32_t number, const void *value,
	      size_t bytes);
