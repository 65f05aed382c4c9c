/* overhead_paths: what call paths mean to the compensation: functions, MPI calls, tool regions,
 * and stretches whose probes were left out; and where an MPI call ends. */
#pragma once

#include "correct/overhead/overhead_cost.h"
#include "model/trace/gap.h"
#include "model/trace/halo.h"

/* The region that represents a stretch without probes. */
#define UNRECORDED_REGION "tview_unrecorded"

enum path_role {
	PATH_FUNCTION,
	PATH_CALL,       /* of MPI, or anything else that is not the program's own function */
	PATH_MEASURING,  /* taken out whole */
	PATH_UNRECORDED, /* costs nothing */
};

struct overhead_path {
	uint32_t parent, depth;
	uint32_t region;
	uint32_t site;  /* the first site with the same region, file and line */
	uint8_t role;   /* enum path_role */
	bool construct; /* of OpenMP: the program's code may be in it, and calls of MPI */
};

/* The call of MPI around the end of a message in another process: a ghost (model/trace/halo.h) has
 * no other events around it. */
struct far_call {
	int64_t begin, exit; /* call_begin(), call_exit() */
	int64_t inside;      /* timed_inside() */
};

struct overhead_paths {
	struct overhead_path *list; /* [call paths] */
	bool sampled;               /* there are such stretches, or gaps with notes (REC_GAP) */
	struct far_call *far;       /* [ghosts]; NULL: the trace is whole */
};

struct overhead_paths paths_make(const struct trace *trace);
void paths_fini(struct overhead_paths *paths);

/* True where leaving `left` ends the visit of `open` (it or one around it). */
static inline bool path_ends(const struct overhead_paths *paths, uint32_t left, uint32_t open)
{
	return paths->list[left].depth <= paths->list[open].depth;
}

static inline bool path_is_construct(const struct overhead_paths *paths, uint32_t path)
{
	return paths->list[path].construct;
}

/* Whose probes --probe-delay makes longer. */
static inline bool path_is_delayed(const struct overhead_paths *paths, uint32_t path)
{
	return paths->list[path].role == PATH_FUNCTION && !paths->list[path].construct;
}

/* What is known of the call around the event of a ghost. */
const struct far_call *path_far_call(const struct overhead_paths *paths, const struct trace *trace,
				     uint32_t ghost);

/* Time at which the MPI call around an event ends: the event's own where that is not found among
 * the next events. O(1). */
int64_t call_exit(const struct trace *trace, const struct overhead_paths *paths,
		  enum time_base base, uint32_t event);
/* Time at which it began, in the same way. */
int64_t call_begin(const struct trace *trace, const struct overhead_paths *paths,
		   enum time_base base, uint32_t event);
