/* Threads, one behind the other: the nth one calls leaf() n times. */
#include <mpi.h>
#include <pthread.h>

static volatile long sink;

static void leaf(long n)
{
	sink += n;
}

static void *run(void *times)
{
	for (long i = 0; i < *(long *)times; i++)
		leaf(i);
	return NULL;
}

int main(int argc, char **argv)
{
	int provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	for (long times = 1; times <= 3; times++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, run, &times) == 0)
			pthread_join(thread, NULL);
	}
	MPI_Finalize();
	return 0;
}
