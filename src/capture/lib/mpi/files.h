/* files: open files, and for each the communicator on which its ranks do something together.
 * That is a copy of the one that they were opened with; a copy is used again when its file is
 * closed. */
#pragma once

#include "capture/lib/mpi/comms.h"
#include "capture/lib/mpi/handles.h"

struct tv_open_file {
	struct tv_handle handle;
	struct tv_comm *of, *comm; /* opened with it; the copy */
	uint32_t order;            /* of the copy, among those of all files */
	/* Of the split collective under way: its request, 0 none, and the call that began it. */
	uint32_t split, call;
};

/* A file was opened by the ranks of `comm`. */
void tv_file_opened(struct tv_thread *t, MPI_File file, MPI_Comm comm);

/* NULL: no recorded call opened it, or one rank alone. */
struct tv_open_file *tv_file_find(MPI_File file);
static inline const struct tv_comm *tv_file_comm(MPI_File file)
{
	const struct tv_open_file *open = tv_file_find(file);

	return open ? open->comm : NULL;
}

/* The handle is about to become void; tv_file_closed() when the call is over, NULL is fine. */
struct tv_open_file *tv_file_take(MPI_File file);
void tv_file_closed(struct tv_open_file *open);
