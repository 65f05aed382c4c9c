/* plain_path: call paths as a reader of the program sees them: without loops, and without the
 * tool's own regions. A recording that samples leaves either out in some visits, so that one
 * function has several call paths; what is said of a function needs them together.
 *
 * Calls of MPI differ by their call site, functions of the program do not. A function that calls
 * itself has one call path, however deep: ranks that go deeper call it more often.
 *
 * Threads: made, any number may read. Where several processes share the trace, the numbers are the
 * same in all. */
#pragma once

#include "model/trace/trace.h"

struct plain_paths {
	uint32_t n;
	uint32_t
		*of; /* [call paths] the lowest call path that is the same without loops and tool */
	bool *hidden;     /* [call paths] is itself a loop or the tool's */
	bool *unrecorded; /* [call paths] functions that were not recorded */
	bool sampled;     /* there is one of the latter */
};

void plain_paths_init(struct plain_paths *paths, const struct trace *trace);
void plain_paths_fini(struct plain_paths *paths);
/* Whether a call path replaces functions that were not recorded. */
bool path_is_unrecorded(const struct trace *trace, uint32_t path);
/* "main > smooth": a call path without loops and the tool's regions, cleaned; of a deep one the
 * last levels. */
void plain_path_text(const struct trace *trace, uint32_t path, struct str *out);
