#include "capture/lib/mpi/files.h"

#include <stdlib.h>

#include "capture/lib/locks.h"

static struct {
	struct tv_handles open;
	pthread_mutex_t lock;     /* of: */
	struct tv_handle *closed; /* their copies wait for other files */
	uint32_t copies;
} files = { .open = TV_HANDLES_NONE, .lock = PTHREAD_MUTEX_INITIALIZER };

/* Handles of files are pointers in all ABIs. */
static uint64_t number_of(MPI_File file)
{
	return (uint64_t)(uintptr_t)file;
}

static struct tv_open_file *file_of(struct tv_handle *handle)
{
	return (struct tv_open_file *)(void *)handle;
}

/* With the lock held: a closed one of the communicator; the oldest, as in all ranks. */
static struct tv_open_file *take_closed(const struct tv_comm *of)
{
	struct tv_handle **best = NULL, *found;

	for (struct tv_handle **at = &files.closed; *at; at = &(*at)->next)
		if (file_of(*at)->of == of &&
		    (!best || file_of(*at)->order < file_of(*best)->order))
			best = at;
	found = best ? *best : NULL;
	if (found)
		*best = found->next;
	return file_of(found);
}

static struct tv_open_file *make(struct tv_thread *t, struct tv_comm *of)
{
	struct tv_open_file *made = calloc(1, sizeof *made);

	if (!made)
		return NULL;
	made->of = of;
	made->comm = tv_comm_copy(t, of, TV_COMM_FILE);
	made->order = __atomic_fetch_add(&files.copies, 1, __ATOMIC_RELAXED);
	return made;
}

void tv_file_opened(struct tv_thread *t, MPI_File file, MPI_Comm comm)
{
	struct tv_comm *of = tv_comm(t, comm);
	struct tv_open_file *open;

	if (of->size <= 1)
		return;
	tv_lock(&files.lock);
	open = take_closed(of);
	tv_unlock(&files.lock);
	if (!open)
		open = make(t, of);
	if (!open)
		return;
	open->split = 0;
	tv_handle_put(&files.open, &open->handle, number_of(file));
}

struct tv_open_file *tv_file_find(MPI_File file)
{
	return file_of(tv_handle_find(&files.open, number_of(file)));
}

struct tv_open_file *tv_file_take(MPI_File file)
{
	return file_of(tv_handle_take(&files.open, number_of(file)));
}

void tv_file_closed(struct tv_open_file *open)
{
	if (!open)
		return;
	tv_lock(&files.lock);
	open->handle.next = files.closed;
	files.closed = &open->handle;
	tv_unlock(&files.lock);
}
