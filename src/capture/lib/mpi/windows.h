/* windows: what the library knows of windows of one-sided communication, and of the groups that
 * epochs are opened for: numbers of their own, the communicator, the members.
 *
 * Like communicators (comms.h) windows are made by all ranks in one order, so tvrun finds out which
 * of them belong together: the same communicator, the creation index on it. */
#pragma once

#include "capture/lib/mpi/comms.h"
#include "capture/lib/mpi/handles.h"

struct tv_window {
	struct tv_handle handle;
	uint32_t id;
	const struct tv_comm *comm;
	bool allocated;           /* MPI has made its memory */
	uint32_t started, posted; /* groups of the epochs that are open, TV_NO_GROUP none */
	uint32_t nth;             /* which one of its communicator, */
	uint32_t turns;           /* and what its ranks have done together */
};

#define TV_NO_GROUP UINT32_MAX

/* A window was made of the communicator's ranks. NULL: no memory. */
struct tv_window *tv_window_made(struct tv_thread *t, MPI_Win handle, MPI_Comm comm,
				 bool allocated);

/* NULL: no recorded call has made it. */
struct tv_window *tv_window_find(MPI_Win handle);

/* The program gave it a name. */
void tv_window_named(struct tv_thread *t, const struct tv_window *window, const char *name);

/* The handle is about to become void: it is found no more, and the caller's to free. */
struct tv_window *tv_window_take(MPI_Win handle);

/* World ranks of a group's members, and their number; NULL: it is not kept. */
const int32_t *tv_group_ranks(uint32_t id, int *size);

/* The number of the group with these members; TV_NO_GROUP where it cannot be kept. */
uint32_t tv_group_find(struct tv_thread *t, MPI_Group group);
