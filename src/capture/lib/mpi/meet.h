/* meet: calls that all ranks of a communicator make together, for virtual time (virtual.h). Before
 * the call meet(), after it met(). Nothing is done without tvrun --virtual-time. */
#pragma once

#include "capture/lib/carry.h"
#include "capture/lib/mpi/comms.h"

struct meeting {
	const struct tv_comm *comm; /* NULL: none */
	uint64_t ticket;
};

static inline struct meeting meet_as(struct tv_thread *t, const struct tv_comm *comm, uint64_t turn)
{
	return (struct meeting){ comm, tv_carry_enter(comm, turn, -1, tv_call_entry(t)) };
}

/* As the next collective of the communicator; MPI_COMM_NULL: not together. */
static inline struct meeting meet(struct tv_thread *t, MPI_Comm handle)
{
	struct tv_comm *comm;

	if (!TV_UNLIKELY(tv.virtual_time) || handle == MPI_COMM_NULL)
		return (struct meeting){ 0 };
	comm = tv_comm(t, handle);
	return meet_as(t, comm, comm->turns++);
}

static inline void met(struct tv_thread *t, const struct meeting *m)
{
	if (m->comm)
		tv_virtual_together(t, m->comm, m->ticket, VIRTUAL_ALL, -1, 0);
}
