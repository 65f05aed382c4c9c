/* Messages of matched probes: MPI_Mprobe, MPI_Improbe. */
#include <stdlib.h>

#include "capture/lib/hold.h"
#include "capture/lib/locks.h"
#include "capture/lib/mpi/inflight.h"

static struct {
	pthread_mutex_t lock;
	struct {
		MPI_Message message;
		const struct tv_comm *comm;
	} * probed;
	uint32_t probes, probes_max;
} messages = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* A matched message among requests, whose numbers begin at the other end. */
static uint32_t number_of(MPI_Message message)
{
	const uint64_t key = TV_KEY(message);

	return (uint32_t)(key ^ key >> 31) | UINT32_C(1) << 31;
}

/* Matched probes are rare and short-lived: a plain list. */
void tv_message_add(struct tv_thread *t, MPI_Message message, const MPI_Status *status,
		    MPI_Comm comm)
{
	const struct tv_comm *known = tv_comm(t, comm);

	if (message == MPI_MESSAGE_NULL || message == MPI_MESSAGE_NO_PROC)
		return;
	if (TV_UNLIKELY(tv.line))
		tv_hold_posted(known, status->MPI_SOURCE, status->MPI_TAG, number_of(message));
	tv_lock(&messages.lock);
	if (messages.probes == messages.probes_max) {
		const uint32_t more = messages.probes_max ? messages.probes_max * 2 : 16;
		void *larger = realloc(messages.probed, more * sizeof *messages.probed);
		if (larger) {
			messages.probed = larger;
			messages.probes_max = more;
		}
	}
	if (messages.probes < messages.probes_max) {
		messages.probed[messages.probes].message = message;
		messages.probed[messages.probes++].comm = known;
	}
	tv_unlock(&messages.lock);
}

const struct tv_comm *tv_message_take(struct tv_thread *t, MPI_Message message)
{
	const struct tv_comm *comm = NULL;

	if (TV_UNLIKELY(tv.line))
		tv_hold_completed(number_of(message));
	tv_lock(&messages.lock);
	for (uint32_t i = 0; i < messages.probes; i++) {
		if (messages.probed[i].message != message)
			continue;
		comm = messages.probed[i].comm;
		messages.probed[i] = messages.probed[--messages.probes];
		break;
	}
	tv_unlock(&messages.lock);
	return comm ? comm : tv_comm_find(t, MPI_COMM_NULL);
}
