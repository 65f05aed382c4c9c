/* truth: how far the times of a simulated run's trace are from the true ones. */
#pragma once

#include "correct/correct.h"
#include "model/trace/trace.h"
#include "simulate/engine.h"

/* Puts the cursor on a rank's first event that the run knows: the trace's own is before it. */
bool truth_first(struct cursor *cursor, const struct trace *trace, enum time_base base,
		 uint32_t rank);
/* Between MPI_Init and MPI_Finalize, without what the measurement itself did; `inside` begins as
 * false. */
bool truth_counts(bool *inside, const struct happening *h);
/* Root of the mean square of the errors of what counts, without the mean error; microseconds. */
double truth_rms(const struct trace *trace, const struct run *truth, enum time_base base);

/* Of what counts: shares of events of other clocks than rank 0's, and of messages between clocks,
 * whose true time is within the bounds of the shown one in a base; median of half the events'
 * bounds, microseconds. */
struct truth_bounds {
	double events, messages, half;
};
struct truth_bounds truth_inside(const struct trace *trace, const struct run *truth,
				 const struct corrections *corrections, enum time_base base);

/* Of events of two clocks at about the same time: the share whose true distance is within its bounds
 * by shortest paths, and how wide these are against those by messages of the two or by rank 0. */
struct truth_pairs {
	double inside, narrower;
};
struct truth_pairs truth_between(const struct trace *trace, const struct run *truth,
				 const struct corrections *corrections, enum time_base base);
