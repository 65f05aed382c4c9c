#include "capture/lib/mpi/hold_source.h"

#include <time.h>

void tv_hold_pause(uint64_t ticks)
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
		MPI_Status status;
		int flag = 0;
		if (answer == TV_HOLD_FREE) {
			source = MPI_ANY_SOURCE;
			break;
		}
		/* The message is told before it is sent. */
		if (tv_mpi.Iprobe(answer == TV_HOLD_TAKE ? source : MPI_ANY_SOURCE, tag, comm,
				  &flag, &status) != MPI_SUCCESS) {
			source = MPI_ANY_SOURCE; /* the receive has the same error */
			break;
		}
		if (answer == TV_HOLD_TAKE && flag)
			break;
		if (answer == TV_HOLD_TAKE)
			tv_mpi.Iprobe(MPI_ANY_SOURCE, tag, comm, &flag, &status);
		flag = flag && (answer == TV_HOLD_TAKE || source < 0);
		if (tv_hold_lost(known, flag ? status.MPI_SOURCE : -1)) {
			source = MPI_ANY_SOURCE;
			break;
		}
		tv_hold_pause(tv_now() - from);
	}
	tv_hold_end();
	return source;
}

/* It was told before it was sent, and MPI may need several looks to see it. */
static bool is_there(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	enum { TRIES = 16 };
	int flag = 0;

	for (int i = 0; i < TRIES && !flag; i++)
		if (tv_mpi.Iprobe(source, tag, comm, &flag, status) != MPI_SUCCESS)
			return false;
	return flag;
}

enum tv_hold tv_hold_source_now(struct tv_thread *t, const struct tv_comm *known, int tag,
				MPI_Comm comm, int *source)
{
	enum tv_hold answer = TV_HOLD_FREE;
	int64_t key;

	if (tv_hold_begin(t, known, tag))
		answer = tv_hold_look_once(t, known, tag < 0 ? -1 : tag, source, &key);
	if (answer == TV_HOLD_TAKE && !is_there(*source, tag, comm, MPI_STATUS_IGNORE))
		answer = TV_HOLD_WAIT;
	if (answer != TV_HOLD_TAKE)
		*source = MPI_ANY_SOURCE;
	return answer;
}

int tv_hold_source_probed(struct tv_thread *t, const struct tv_comm *known, int tag, MPI_Comm comm,
			  int *flag, MPI_Status *status)
{
	int source;
	enum tv_hold answer;

	if (!tv_hold_begin(t, known, tag))
		return MPI_ANY_SOURCE;
	answer = tv_hold_look_polled(t, known, tag < 0 ? -1 : tag, status->MPI_SOURCE, &source);
	/* From a call that was not recorded. */
	if (answer == TV_HOLD_FREE || source < 0)
		return MPI_ANY_SOURCE;
	*flag = answer == TV_HOLD_TAKE && is_there(source, tag, comm, status);
	if (!*flag)
		tv_hold_denied();
	return source;
}

int tv_hold_matched(struct tv_thread *t, const struct tv_comm *known, int *source, int tag,
		    MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
{
	const int rc = tv_mpi.Iprobe(MPI_ANY_SOURCE, tag, comm, flag, status);

	if (rc != MPI_SUCCESS)
		return rc;
	if (*flag)
		*source = tv_hold_source_probed(t, known, tag, comm, flag, status);
	if (*flag)
		return tv_mpi.Improbe(*source, tag, comm, flag, message, status);
	*message = MPI_MESSAGE_NULL;
	return MPI_SUCCESS;
}
