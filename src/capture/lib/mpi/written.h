/* written: records of calls that are not messages. They need not be of the call under way. */
#pragma once

#include "capture/lib/mpi/pmpi.h"

struct tv_comm;

/* ---- collectives that a request completes ---- */

/* At its completion; `root`: TV_NO_ROOT none. */
void tv_write_completed(struct tv_thread *t, uint64_t time, uint32_t call, uint32_t id,
			const struct tv_comm *comm, uint32_t root, uint64_t sent, uint64_t received,
			bool from_all);

/* ---- accesses to windows ---- */

/* `target` is a rank, or negative: all. */
static inline void tv_write_rma(struct tv_thread *t, uint64_t time, enum tv_rma_what what,
				uint32_t call, uint32_t id, uint32_t window, int32_t target,
				uint64_t sent, uint64_t received)
{
	struct tv_rma *record = tv_room(t, sizeof *record);

	if (TV_UNLIKELY(!record))
		return;
	*record = (struct tv_rma){ { time, TV_RMA, (uint8_t)what, (uint16_t)call, id },
				   tv_size_make(sent, target >= 0 ? (uint32_t)target : TV_NO_ROOT),
				   tv_size_make(received, window) };
	tv_commit(t, sizeof *record);
}

/* ---- files ---- */

/* The handle of a file does not last, so a trace has only bytes; the number says only that it is a
 * file. */
void tv_write_io(struct tv_thread *t, uint32_t call, const MPI_Status *status, uint64_t time);
