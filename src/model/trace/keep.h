/* keep: results that someone computed of a whole trace and that are worth keeping: with the trace,
 * and in its cache file, from which the next start has them at once.
 *
 * A result is a value of fixed size without pointers, found by a name and a number (the time base,
 * say). Threads: keep_put() needs the trace alone. */
#pragma once

#include "model/trace/trace.h"

/* Copies the result into `value`; false where none of that name and size is kept. */
bool keep_get(const struct trace *trace, const char *name, uint32_t number, void *value,
	      size_t bytes);
/* Keeps a copy, instead of an earlier one. Names have at most 23 characters. */
void keep_put(const struct trace *trace, const char *name, uint32_t number, const void *value,
	      size_t bytes);
