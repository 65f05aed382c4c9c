/* results: what views compute of a whole run, made ahead for the cache file of its trace: the next
 * start has it without an analysis (model/trace/keep.h, piece.h). */
#pragma once

#include "model/trace/trace.h"

struct corrections; /* correct/correct.h */

/* Makes and keeps what is not kept yet, in the default time base. `corrections`: of the trace, NULL
 * not made. */
void results_prepare(struct trace *trace, const struct corrections *corrections);
