#include <time.h>

#include "capture/lib/measure.h"
#include "capture/lib/mpi/pmpi.h"
#include "capture/lib/virtual.h"

enum { ROUNDS = 16, THERE = 4, TAG = 1 };

/* A rank that waits for its turn must not occupy a core that the two ranks at work may need. */
static void nap(void)
{
	const struct timespec moment = { 0, 20000 };

	nanosleep(&moment, NULL);
}

static void wait_for_turn(MPI_Comm comm)
{
	int there = 0;

	while (tv_mpi.Iprobe(0, TAG, comm, &there, MPI_STATUS_IGNORE) == MPI_SUCCESS && !there)
		nap();
}

/* Receives of messages that are there, as long as virtual time knows no others. */
static void learn_receiving(MPI_Comm comm, int rank)
{
	uint64_t from, unused = 0;

	for (int i = 0; i < THERE; i++)
		tv_mpi.Send(&unused, 1, MPI_UINT64_T, rank, TAG, comm);
	nap();
	for (int i = 0; i < THERE; i++) {
		from = tv_now();
		tv_mpi.Recv(&unused, 1, MPI_UINT64_T, rank, TAG, comm, MPI_STATUS_IGNORE);
		tv_virtual_learn(sizeof unused, tv_now() - from, true);
	}
}

/* Rank 0: the first message only wakes the other one; then the rounds, of which the shortest
 * counts. */
static void lead(struct tv_thread *t, MPI_Comm comm, int rank, bool at_end)
{
	struct tv_def_offset best = { .rank = rank, .at_end = at_end, .rounds = ROUNDS };
	uint64_t there[ROUNDS + 1], shortest = UINT64_MAX;
	uint64_t sent[ROUNDS + 1], came[ROUNDS + 1];

	for (int i = 0; i <= ROUNDS; i++) {
		sent[i] = tv_now();
		tv_mpi.Send(&sent[i], 1, MPI_UINT64_T, rank, TAG, comm);
		tv_mpi.Recv(&there[i], 1, MPI_UINT64_T, rank, TAG, comm, MPI_STATUS_IGNORE);
		came[i] = tv_now();
	}
	for (int i = 1; i <= ROUNDS; i++) {
		if (tv.virtual_time && !at_end)
			tv_virtual_learn(sizeof *there, (came[i] - sent[i]) / 2, false);
		if (came[i] - sent[i] >= shortest)
			continue;
		shortest = came[i] - sent[i];
		best.send = sent[i];
		best.there = there[i];
		best.recv = came[i];
	}
	if (tv.virtual_time && !at_end)
		learn_receiving(comm, rank);
	tv_define(t, TV_DEF_OFFSET, 0, &best, sizeof best, NULL, 0);
}

static void follow(MPI_Comm comm, bool at_end)
{
	uint64_t theirs, now, last = 0;

	wait_for_turn(comm);
	for (int i = 0; i <= ROUNDS; i++) {
		tv_mpi.Recv(&theirs, 1, MPI_UINT64_T, 0, TAG, comm, MPI_STATUS_IGNORE);
		now = tv_now();
		if (tv.virtual_time && !at_end && i > 1)
			tv_virtual_learn(sizeof now, (now - last) / 2, false);
		last = now;
		tv_mpi.Send(&now, 1, MPI_UINT64_T, 0, TAG, comm);
	}
	if (tv.virtual_time && !at_end)
		learn_receiving(comm, 0);
}

static void measure(struct tv_thread *t, MPI_Comm comm, bool at_end)
{
	int rank = -1, size = 0;

	tv_mpi.Comm_rank(comm, &rank);
	tv_mpi.Comm_size(comm, &size);
	if (rank == 0)
		for (int other = 1; other < size; other++)
			lead(t, comm, other, at_end);
	else
		follow(comm, at_end);
}

void tv_measure_offsets_on(struct tv_thread *t, uint64_t comm)
{
	measure(t, tv_handle_of(comm), false);
}

void tv_measure_offsets(struct tv_thread *t, bool at_end)
{
	static MPI_Comm comm; /* part of the process's recorder, private to this file */
	static bool made;

	if (!at_end) {
		if (tv_mpi.Comm_dup(MPI_COMM_WORLD, &comm) != MPI_SUCCESS)
			return;
		tv_mpi.Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
		made = true;
	}
	if (!made)
		return;
	measure(t, comm, at_end);
	if (at_end)
		tv_mpi.Comm_free(&comm);
}
