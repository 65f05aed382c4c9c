/* Threads that come and go, one after the other: of POSIX threads as many as the argument says, and
 * one of C11. Each works 1 ms. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

static void *work(void *unused)
{
	nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	return unused;
}

static int work_too(void *unused)
{
	work(unused);
	return 7;
}

int main(int argc, char **argv)
{
	const int n = argc > 1 ? atoi(argv[1]) : 5;
	pthread_t thread;
	thrd_t c11;
	int level, result = 0;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	for (int i = 0; i < n; i++) {
		if (pthread_create(&thread, NULL, work, NULL) != 0)
			return 2;
		pthread_join(thread, NULL);
	}
	if (thrd_create(&c11, work_too, NULL) != thrd_success)
		return 2;
	thrd_join(c11, &result);
	MPI_Finalize();
	return result != 7;
}
