/* sample_trace: a small run made with the builder, whose every number can be worked out by hand.
 *
 * `ranks` ranks do `steps` steps of 1 ms each, rank r beginning r * 10 us late (ticks are ns):
 *	compute		0.6 ms
 *	MPI_Send	0.05 ms	to the next rank (1,024 bytes, tag 7), sent at its start
 *	MPI_Recv	0.15 ms	from the previous rank, completed at its end
 *	MPI_Allreduce	0.2 ms
 * all inside main, which ends with the last step. */
#pragma once

#include "model/trace/trace.h"

struct trace *sample_trace(int ranks, int steps);
