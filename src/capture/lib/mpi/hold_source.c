#include "capture/lib/mpi/hold_source.h"

#include <time.h>

#include "capture/lib/hold.h"

/* A held rank looks without a pause for a moment, then ever more seldom. */
static void pause_after(uint64_t ticks)
{
	const uint64_t us = ticks / tv.microsecond;
	struct timespec nap = { 0, us < 10000 ? 5000 : us < 1000000 ? 50000 : 500000 };

	if (us > 1)
		nanosleep(&nap, NULL);
}

int tv_hold_source(struct tv_thread *t, const struct tv_comm *known, int tag, MPI_Comm comm)
{
	const uint64_t from = tv_now();
	int source;

	if (!tv_hold_begin(t, known, tag))
		return MPI_ANY_SOURCE;
	for (;;) {
		const enum tv_hold answer = tv_hold_look(t, known, tag < 0 ? -1 : tag, &source);
		int flag = 0;
		if (answer == TV_HOLD_FREE)
			source = MPI_ANY_SOURCE;
		if (answer == TV_HOLD_FREE)
			break;
		/* The message is told before it is sent. */
		tv_mpi.Iprobe(answer == TV_HOLD_TAKE ? source : MPI_ANY_SOURCE, tag, comm, &flag,
			      MPI_STATUS_IGNORE);
		if (answer == TV_HOLD_TAKE && flag)
			break;
		if (answer == TV_HOLD_TAKE)
			tv_mpi.Iprobe(MPI_ANY_SOURCE, tag, comm, &flag, MPI_STATUS_IGNORE);
		if (tv_hold_lost(flag && (answer == TV_HOLD_TAKE || source < 0))) {
			source = MPI_ANY_SOURCE;
			break;
		}
		pause_after(tv_now() - from);
	}
	tv_hold_end();
	return source;
}
