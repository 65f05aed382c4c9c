/* Files: opening, closing, and the blocking reads and writes with their bytes. */
#include <string.h>

#include "capture/lib/inflight.h"
#include "capture/lib/wrap.h"

/* The handle of a file does not last, so a trace has only bytes; the number says only that it is a
 * file. */
static void note_io(struct tv_thread *t, uint32_t call, const MPI_Status *status, uint64_t time)
{
	struct tv_io *record = tv_room(t, sizeof *record);

	if (!record)
		return;
	*record = (struct tv_io){ { time, TV_FILE_IO, 0, (uint16_t)call, 0 },
				  tv_status_bytes(status),
				  0 };
	tv_commit(t, sizeof *record);
}

#define TRANSFER(name, params, args)                               \
	TV_WRAP_STATUS(File_##name, params, args, TV_NOTHING, {    \
		if (rc == MPI_SUCCESS)                             \
			note_io(t, CALL_File_##name, status, now); \
	})

#define READ(name)                                                                             \
	TRANSFER(name,                                                                         \
		 (MPI_File file, void *buf, int count, MPI_Datatype type, MPI_Status *status), \
		 (file, buf, count, type, status))
#define READ_AT(name)                                                                        \
	TRANSFER(name,                                                                       \
		 (MPI_File file, MPI_Offset offset, void *buf, int count, MPI_Datatype type, \
		  MPI_Status *status),                                                       \
		 (file, offset, buf, count, type, status))
#define WRITE(name)                                                             \
	TRANSFER(name,                                                          \
		 (MPI_File file, const void *buf, int count, MPI_Datatype type, \
		  MPI_Status *status),                                          \
		 (file, buf, count, type, status))
#define WRITE_AT(name)                                                                             \
	TRANSFER(name,                                                                             \
		 (MPI_File file, MPI_Offset offset, const void *buf, int count, MPI_Datatype type, \
		  MPI_Status *status),                                                             \
		 (file, offset, buf, count, type, status))

READ(read)
READ(read_all)
READ(read_shared)
READ(read_ordered)
READ_AT(read_at)
READ_AT(read_at_all)
WRITE(write)
WRITE(write_all)
WRITE(write_shared)
WRITE(write_ordered)
WRITE_AT(write_at)
WRITE_AT(write_at_all)

TV_WRAP(File_open, (MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file),
	(comm, name, mode, info, file), TV_NOTHING, {
		if (rc == MPI_SUCCESS && !tv.anonymous && !tv.statistics)
			tv_define(t, TV_DEF_FILE,
				  (uint32_t)__atomic_fetch_add(&tv.next_file, 1, __ATOMIC_RELAXED),
				  name, strlen(name) + 1, NULL, 0);
	})

TV_WRAP(File_close, (MPI_File * file), (file), TV_NOTHING, TV_NOTHING)
