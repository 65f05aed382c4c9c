/* threads: two threads a rank exchange messages at once under MPI_THREAD_MULTIPLE, each with its own tag. Prints "skip"
 * where MPI does not provide that level. */
#include <pthread.h>
#include <string.h>

#include "tally.h"

enum { THREADS = 2, ROUNDS = 200 };

static int rank, other;

static int step(int x)
{
	return x + 1;
}

static void *exchange(void *context)
{
	const int tag = *(const int *)context;
	int in, out = 0;
	MPI_Request requests[2];

	for (int i = 0; i < ROUNDS; i++) {
		out = step(out);
		MPI_Irecv(&in, 1, MPI_INT, other, tag, MPI_COMM_WORLD, &requests[0]);
		MPI_Isend(&out, 1, MPI_INT, other, tag, MPI_COMM_WORLD, &requests[1]);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	int tags[THREADS], provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	other = 1 - rank;
	tally_begin(rank);
	if (provided < MPI_THREAD_MULTIPLE) {
		if (rank == 0)
			puts("skip");
		MPI_Finalize();
		return 0;
	}
	for (int i = 0; i < THREADS; i++) {
		tags[i] = 30 + i;
		pthread_create(&threads[i], NULL, exchange, &tags[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < THREADS; i++) {
		for (int k = 0; k < ROUNDS; k++) {
			tally_sent(other, tags[i], 4);
			tally_received(other, tags[i], 4);
		}
	}
	tally_did("step", THREADS * ROUNDS);
	tally_end("threads", rank);
	MPI_Finalize();
	return 0;
}
