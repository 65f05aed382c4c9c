/* iteration_named: iterations that begin where a region is entered that the user named, or at marks
 * of that name. */
#pragma once

#include "patterns/iterations/iterations.h"

/* Fills in the level, and begin[locations] (level->n + 1 times each, the caller's; NULL where a
 * location has another number of visits than most). Visits inside of others do not count. The last
 * iteration ends with the last visit, after marks where MPI_Finalize begins. level->n is 0 where
 * there are less than 2. False: stopped. Where several processes share the trace all call it. */
bool iterations_find_named(const struct trace *trace, enum time_base base, const char *name,
			   const struct progress *progress, struct iteration_level *level,
			   int64_t **begin);
