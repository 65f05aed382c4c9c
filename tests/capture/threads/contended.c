/* Two threads, one critical section, one lock: in each step thread 0 is in it for 20 ms, and thread
 * 1, which comes 5 ms later, waits. */
#include <mpi.h>
#include <omp.h>
#include <time.h>

static void work(int ms)
{
	nanosleep(&(struct timespec){ 0, ms * 1000000L }, NULL);
}

int main(int argc, char **argv)
{
	omp_lock_t lock;
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	omp_init_lock(&lock);
	for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2)
		{
#pragma omp barrier
			work(omp_get_thread_num() * 5);
#pragma omp critical
			work(20 - omp_get_thread_num() * 19);
#pragma omp barrier
			work(omp_get_thread_num() * 5);
			omp_set_lock(&lock);
			work(20 - omp_get_thread_num() * 19);
			omp_unset_lock(&lock);
		}
	}
	omp_destroy_lock(&lock);
	MPI_Finalize();
	return 0;
}
