/* preparing: the cache file from which tview opens a trace at once, written by all processes.
 *
 *	if (!preparing_begin(&p, x, path, &options, &err)) ...
 *	if (!p.is_there) ... read the trace, correct it ...
 *		ok = preparing_write(&p, trace, &err);
 *	preparing_end(&p);
 *
 * All processes call the same. */
#pragma once

#include "model/cache/cache.h"

struct exchange;

struct preparing {
	struct cache_state *state; /* of the trace before it is read; the first process' */
	bool is_there;             /* the file, already: nothing has to be done */
};

/* False with err where the trace cannot be prepared, or there is no tview beside this program. */
bool preparing_begin(struct preparing *p, struct exchange *x, const char *path,
		     const struct load_options *options, struct err *err);
/* Makes what the first screen shows, and writes the file. The trace can only be freed then. */
bool preparing_write(struct preparing *p, struct trace *trace, struct err *err);
void preparing_end(struct preparing *p);
