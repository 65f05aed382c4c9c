/* keep: results computed from a whole trace that are stored with it, and in its cache file, so that
 * the next start has them at once.
 *
 * A result is a value without pointers, found by a name (at most 23 characters) and a number.
 * Threads: any may call these at any time; a value of a base that is made again, or that another
 * one replaces, must not be in use. */
#pragma once

#include "model/trace/trace.h"

/* Copies the result into `value`; false if none of that name and size is kept. */
bool keep_get(const struct trace *trace, const char *name, uint32_t number, void *value,
	      size_t bytes);
/* The value itself where it is mapped from a cache file, good as long as the trace; NULL: it is not
 * there, or not mapped. */
const void *keep_mapped(const struct trace *trace, const char *name, uint32_t number, size_t bytes);
/* Keeps a copy, and replaces an earlier one. */
void keep_put(const struct trace *trace, const char *name, uint32_t number, const void *value,
	      size_t bytes);
/* The same for what was computed with the times of a base, which is its number: it goes when the
 * base is made again. */
void keep_of_base(const struct trace *trace, const char *name, enum time_base base,
		  const void *value, size_t bytes);
void keep_drop_base(struct trace *trace, enum time_base base);

/* Large results of a base are lent: from a cache file they are mapped, and cost what is looked at.
 * keep_give() takes the value (of malloc); keep_lent() returns it, NULL if there is none: it is
 * good until the base is made again. */
const void *keep_lent(const struct trace *trace, const char *name, enum time_base base,
		      size_t *bytes);
void keep_give(const struct trace *trace, const char *name, enum time_base base, void *take,
	       size_t bytes);
/* The same for piece.h, which bounds how much there is of its own. */
void keep_give_piece(const struct trace *trace, const char *name, enum time_base base, void *take,
		     size_t bytes);
