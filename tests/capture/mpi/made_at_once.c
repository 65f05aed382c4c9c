/* made_at_once: two ranks with 4 threads that each make 60 communicators, in all ways, of one that is the thread's own, while
 * the others do; all have the same members. On each the ranks exchange a message with a tag of its own: 480 messages. Then
 * the main threads meet on a communicator made of MPI_COMM_WORLD, 1 message. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 4, TIMES = 60 };

static int rank;
static MPI_Comm own[THREADS];
static MPI_Group both;

static MPI_Comm make(int thread, int time)
{
	MPI_Comm parent = own[thread], made, between;
	MPI_Request request;
	int dims[1] = { 2 }, periods[1] = { 0 };

	switch (time % 6) {
	case 0: MPI_Comm_dup(parent, &made); break;
	case 1: MPI_Comm_split(parent, 7, rank, &made); break;
	case 2:
		MPI_Comm_idup(parent, &made, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		break;
	case 3: MPI_Cart_create(parent, 1, dims, periods, 0, &made); break;
	case 4: MPI_Comm_create_group(parent, both, thread, &made); break;
	default:
		/* An inter-communicator of the ranks, each alone in its group. */
		MPI_Comm_split(parent, rank, 0, &made);
		MPI_Intercomm_create(made, 0, parent, 1 - rank, thread, &between);
		MPI_Comm_free(&made);
		MPI_Intercomm_merge(between, rank, &made);
		MPI_Comm_free(&between);
	}
	return made;
}

static void *run(void *context)
{
	const int thread = *(int *)context;

	for (int i = 0; i < TIMES; i++) {
		MPI_Comm made = make(thread, i);
		const int tag = thread * TIMES + i;
		int to = i, from;

		MPI_Sendrecv(&to, 1, MPI_INT, 1 - rank, tag, &from, 1, MPI_INT, 1 - rank, tag, made, MPI_STATUS_IGNORE);
		if (from != i)
			abort();
		MPI_Comm_free(&made);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	int numbers[THREADS], provided;
	MPI_Comm last;
	const int dims[1] = { 1 }, periods[1] = { 0 };

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	if (provided != MPI_THREAD_MULTIPLE)
		return 77;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_group(MPI_COMM_WORLD, &both);
	/* Open MPI 4 is not ready for the first grids of several threads at once. */
	MPI_Cart_create(MPI_COMM_SELF, 1, dims, periods, 0, &last);
	MPI_Comm_free(&last);
	for (int t = 0; t < THREADS; t++)
		MPI_Comm_dup(MPI_COMM_WORLD, &own[t]);
	for (int t = 0; t < THREADS; t++) {
		numbers[t] = t;
		pthread_create(&threads[t], NULL, run, &numbers[t]);
	}
	for (int t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	MPI_Comm_dup(MPI_COMM_WORLD, &last);
	if (rank == 0)
		MPI_Send(numbers, 1, MPI_INT, 1, 1000, last);
	else
		MPI_Recv(numbers, 1, MPI_INT, 0, 1000, last, MPI_STATUS_IGNORE);
	MPI_Group_free(&both);
	MPI_Finalize();
	return 0;
}
