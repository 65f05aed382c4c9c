/* Threads that live shortly, one after the other: each calls MPI_Barrier 9 times.
 *
 *	short_threads THREADS
 */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

static void *barriers(void *unused)
{
	for (int i = 0; i < 9; i++)
		MPI_Barrier(MPI_COMM_SELF);
	return unused;
}

int main(int argc, char **argv)
{
	int provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	for (int i = 0; argc > 1 && i < atoi(argv[1]); i++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, barriers, NULL) == 0)
			pthread_join(thread, NULL);
	}
	MPI_Finalize();
	return 0;
}
