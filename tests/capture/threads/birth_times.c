/* Virtual time of threads that a program makes itself (virtual_births_test.sh). The first thread is
 * slowed by probes, and then creates one that is slowed, too, and ends last: its end decides. The
 * second one is not slowed and ends last by itself; the third ends while the first one is slowed. */
#include <mpi.h>
#include <pthread.h>
#include <time.h>

#include "slowed.h"

PLAIN static void nap(int ms)
{
	nanosleep(&(struct timespec){ 0, ms * MS }, NULL);
}

static void *slow(void *unused)
{
	slowed();
	nap(20);
	return unused;
}

static void *late(void *unused)
{
	nap(100);
	return unused;
}

static void *early(void *unused)
{
	nap(5);
	return unused;
}

PLAIN static void after(pthread_t thread)
{
	int rank;

	pthread_join(thread, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

PLAIN int main(int argc, char **argv)
{
	pthread_t thread;
	int got;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &got);
	slowed();
	pthread_create(&thread, NULL, slow, NULL);
	after(thread);
	pthread_create(&thread, NULL, late, NULL);
	slowed();
	after(thread);
	pthread_create(&thread, NULL, early, NULL);
	slowed();
	after(thread);
	MPI_Finalize();
	return 0;
}
