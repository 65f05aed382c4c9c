/* one_tag: two ranks with 4 threads that each send 300 messages of 8 bytes to the other rank and receive 300, all with one tag
 * on one communicator, so that MPI does not say which thread's is whose: 2,400 messages. */
#include <mpi.h>
#include <pthread.h>

enum { THREADS = 4, TIMES = 300 };

static int rank;

static void *run(void *context)
{
	int to[2] = { 1, 2 }, from[2];
	MPI_Request request;

	(void)context;
	for (int i = 0; i < TIMES; i++) {
		MPI_Irecv(from, 2, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, &request);
		MPI_Send(to, 2, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	int provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	if (provided != MPI_THREAD_MULTIPLE)
		return 77;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int t = 0; t < THREADS; t++)
		pthread_create(&threads[t], NULL, run, NULL);
	for (int t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	MPI_Finalize();
	return 0;
}
