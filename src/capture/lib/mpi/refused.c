#include "capture/lib/mpi/refused.h"

static int class_of(int error)
{
	int class = error;

	tv_mpi.Error_class(error, &class);
	return class;
}

enum tv_outcome tv_outcome_of(int error)
{
	if (TV_LIKELY(error == MPI_SUCCESS))
		return TV_DONE;
	return class_of(error) == MPI_ERR_TRUNCATE ? TV_TRUNCATED : TV_FAILED;
}

/* In all ABIs the classes of wrong arguments come first, MPI_ERR_ARG last of them. */
bool tv_refuses(struct tv_thread *t, uint32_t call, uint64_t begun, int error)
{
	if (class_of(error) > MPI_ERR_ARG)
		return false;
	t->with.sent = t->with.received = t->with.flags = 0;
	tv_write(t, tv_now(), TV_REFUSED, 1, call, (uint32_t)begun);
	return true;
}
