/* run_core: the part of a run between MPI_Init and MPI_Finalize: where the program
 * itself runs. */
#pragma once

#include "views/query/view.h"

/* From the last end of MPI_Init to the first begin of MPI_Finalize over the locations, with
 * (`overhead`) or without the tool overhead next to them; `run` if neither is found, or nothing is
 * between them. Looks at a few thousand events at both ends of the first few hundred locations:
 * O(1). Where several processes share the trace, all call it. */
struct span run_core(const struct trace *trace, enum time_base base, struct span run,
		     bool overhead);
