/* region_metric: which metric the time of a region belongs to (specs: correction and patterns,
 * section 6.2a; patterns-corrections C4), and what a call does for the formulas of waiting (section
 * 6.3).
 *
 * All look names up (model/meaning): ask once for a region, not for an event. */
#pragma once

#include "correct/clocks/logical.h"
#include "model/meaning/meaning.h"
#include "model/trace/trace.h"
#include "patterns/severity/cube_metric.h"

/* The deepest SOURCE_REGION metric that has the region's exclusive time: CUBE_COMP,
 * CUBE_MPI_POINT2POINT, CUBE_MPI (a call of no family), CUBE_OVERHEAD, ...
 *
 * OpenMP: constructs with a body (parallel, loop, single, task, the inside of critical) are
 * computation; what surrounds it (critical, ordered), barriers, flushes and calls of the library
 * are OpenMP's. */
enum cube_metric region_metric(const struct trace *trace, uint32_t region);

/* [call paths] the same of the innermost region of each, the caller's; each region is looked up
 * once. CUBE_COMP where none is open. */
uint8_t *region_metric_by_path(const struct trace *trace);

/* What a call does for the formulas of waiting. */
enum call_kind region_call(const struct trace *trace, uint32_t region);

/* The metric that counts the visits of a region: CUBE_COMMS_RMA_PUTS of MPI_Put,
 * CUBE_MPI_FILE_IROPS of MPI_File_read, CUBE_SYNCS_RMA_ACTIVE of MPI_Win_fence (6.6); CUBE_NONE
 * without. */
enum cube_metric region_counter(const struct trace *trace, uint32_t region);
/* What starts or ends a run: MPI_Init, MPI_Finalize, and what the recorder does. */
bool region_is_of_ends(const struct trace *trace, uint32_t region);
/* OpenMP's parallel construct. */
bool region_is_parallel(const struct trace *trace, uint32_t region);
