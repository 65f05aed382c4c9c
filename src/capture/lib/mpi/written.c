#include "capture/lib/mpi/written.h"

#include "capture/lib/comm.h"

void tv_write_completed(struct tv_thread *t, uint64_t time, uint32_t call, uint32_t id,
			const struct tv_comm *comm, uint32_t root, uint64_t sent, uint64_t received,
			bool from_all)
{
	struct tv_collective *record = tv_room(t, sizeof *record);

	if (!record)
		return;
	*record = (struct tv_collective){ { time, TV_COLL_COMPLETE, from_all, (uint16_t)call, id },
					  tv_size_make(sent, root),
					  tv_size_make(received, comm->id) };
	tv_commit(t, sizeof *record);
}

void tv_write_io(struct tv_thread *t, uint32_t call, const MPI_Status *status, uint64_t time)
{
	struct tv_io *record = t->nested == TV_CALL_PAUSED ? NULL : tv_room(t, sizeof *record);

	if (!record)
		return;
	*record = (struct tv_io){ { time, TV_FILE_IO, 0, (uint16_t)call, 0 },
				  tv_status_bytes(status),
				  0 };
	tv_commit(t, sizeof *record);
}
