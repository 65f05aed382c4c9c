/* handed_over: requests that one thread begins and another one completes.
 *
 *	handed_over all	two ranks: 100 receives and 100 sends each, begun in the first thread, completed by one
 *			MPI_Waitall in the second one: 200 messages of 64 bytes
 *	handed_over one	the same by MPI_Test after MPI_Test of both threads: 200 messages
 *	handed_over sum	two ranks: one MPI_Iallreduce begun in the first thread and completed in the second
 *	handed_over self	four threads of each rank, 5,000 times each: MPI_Irecv, MPI_Send, MPI_Wait to and from
 *			the own rank: 40,000 messages of 8 bytes */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
enum { COUNT = 100, BYTES = 64, THREADS = 4, TIMES = 5000 };
static char from[COUNT][BYTES], to[COUNT][BYTES];
static MPI_Request requests[2 * COUNT];
static int rank, n;
static void begin(void)
{
	for (int i = 0; i < COUNT; i++)
		MPI_Irecv(to[i], BYTES, MPI_BYTE, (rank + 1) % n, i, MPI_COMM_WORLD, &requests[i]);
	for (int i = 0; i < COUNT; i++)
		MPI_Isend(from[i], BYTES, MPI_BYTE, (rank + 1) % n, i, MPI_COMM_WORLD, &requests[COUNT + i]);
}
static void *complete_all(void *unused)
{
	MPI_Waitall(2 * COUNT, requests, MPI_STATUSES_IGNORE);
	return unused;
}
static void *complete_one_by_one(void *unused)
{
	for (int i = 0; i < 2 * COUNT; i++)
		for (int flag = 0; !flag;)
			MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
	return unused;
}
static void *complete_sum(void *unused)
{
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	return unused;
}
static void *to_myself(void *tag)
{
	const int mine = (int)(long)tag;
	double out = mine, in;
	MPI_Request request;
	for (int i = 0; i < TIMES; i++) {
		MPI_Irecv(&in, 1, MPI_DOUBLE, rank, mine, MPI_COMM_WORLD, &request);
		MPI_Send(&out, 1, MPI_DOUBLE, rank, mine, MPI_COMM_WORLD);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		if (in != mine)
			abort();
	}
	return NULL;
}
static void in_threads(void *(*work)(void *), int count)
{
	pthread_t threads[THREADS];
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, work, (void *)(long)i);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}
int main(int argc, char **argv)
{
	int provided, one = 1, sum;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	if (provided < MPI_THREAD_MULTIPLE || argc < 2)
		MPI_Abort(MPI_COMM_WORLD, 77);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	if (strcmp(argv[1], "self") == 0) {
		in_threads(to_myself, THREADS);
	} else if (strcmp(argv[1], "sum") == 0) {
		MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
		in_threads(complete_sum, 1);
		if (sum != n)
			abort();
	} else {
		begin();
		in_threads(strcmp(argv[1], "all") == 0 ? complete_all : complete_one_by_one, 1);
	}
	MPI_Finalize();
	return 0;
}
