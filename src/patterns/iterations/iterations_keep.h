/* iterations_keep: the iterations of a run that are kept with its trace (model/trace/piece.h). */
#pragma once

#include "patterns/iterations/iterations.h"

/* Keeps a copy of those that were found, not named: the levels, and where the iterations of the one
 * to show begin; of several loops, those of each. Threads: as keep_give(). */
void iterations_keep(const struct iterations *iterations);
/* Those that were kept, the caller's: of the other levels no location has any. NULL: none, or they
 * do not hold. */
struct iterations *iterations_kept(const struct trace *trace, enum time_base base);
