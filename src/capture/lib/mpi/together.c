#include "capture/lib/mpi/together.h"

#include "capture/lib/mpi/inflight.h"

static bool has_others(const struct tv_comm *comm)
{
	return comm->size > 1 || comm->remote;
}

/* Whose statement it is. */
static void note_with(struct tv_thread *t, const struct tv_comm *comm)
{
	t->with.peer = -1;
	t->with.comm = comm->id;
	t->with.sent = t->with.received = 0;
}

struct together tv_together_of(struct tv_thread *t, uint32_t call, const struct tv_comm *comm)
{
	if (!comm || !has_others(comm))
		return (struct together){ 0 };
	note_with(t, comm);
	tv_write_long(t, t->now,
		      (struct tv_contents){ .what = TV_COLL_BEGIN | call << 16 |
						    (uint64_t)comm->id << 32,
					    .second = tv_size_make(0, TV_NO_ROOT) });
	return (struct together){ .comm = comm, .begun = t->now, .call = call };
}

struct together tv_together_on(struct tv_thread *t, uint32_t call, MPI_Comm of)
{
	return tv_together_of(t, call, of == MPI_COMM_NULL ? NULL : tv_comm(t, of));
}

struct together tv_together_made(struct tv_thread *t, uint32_t call, MPI_Comm none)
{
	const uint32_t request = tv_request_number(t);

	(void)none;
	tv_write(t, t->now, TV_COLL_REQUEST, 0, call, request);
	return (struct together){ .begun = t->now, .call = call, .request = request };
}

struct together tv_together_others(struct tv_thread *t, uint32_t call, MPI_Comm none)
{
	(void)t, (void)call, (void)none;
	return (struct together){ 0 };
}

/* Where MPI made nothing, no other rank was in the call. */
static void end_made(struct tv_thread *t, const struct together *all, MPI_Comm made, uint64_t now,
		     int rc)
{
	const struct tv_comm *comm =
		rc == MPI_SUCCESS && made != MPI_COMM_NULL ? tv_comm(t, made) : NULL;

	if (!comm || !has_others(comm)) {
		tv_write(t, now, TV_REQUEST_FREED, 0, 0, all->request);
		return;
	}
	note_with(t, comm);
	tv_write_completed(t, now, all->call, all->request, comm, TV_NO_ROOT, 0, 0, false);
}

void tv_together_end(struct tv_thread *t, const struct together *all, MPI_Comm made, uint64_t now,
		     int rc)
{
	if (all->request)
		end_made(t, all, made, now, rc);
	else if (all->comm && !tv_refused(t, all->call, all->begun, rc))
		tv_write(t, now, TV_COLL_END, 0, all->call, all->comm->id);
}
