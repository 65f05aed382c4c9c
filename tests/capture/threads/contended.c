/* Two threads, one critical section, one lock: in each step thread 0 is in it for 50 ms, and thread
 * 1, which comes when it is, waits. */
#include <mpi.h>
#include <omp.h>
#include <time.h>

static void work(int ms)
{
	nanosleep(&(struct timespec){ 0, ms * 1000000L }, NULL);
}

static int in; /* how often thread 0 was in one of them */

static void stay(void)
{
	if (omp_get_thread_num() != 0)
		return;
	__atomic_add_fetch(&in, 1, __ATOMIC_RELEASE);
	work(50);
}

static void come(int turn)
{
	while (omp_get_thread_num() == 1 && __atomic_load_n(&in, __ATOMIC_ACQUIRE) < turn)
		work(1);
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
			come(2 * i + 1);
#pragma omp critical
			stay();
#pragma omp barrier
			come(2 * i + 2);
			omp_set_lock(&lock);
			stay();
			omp_unset_lock(&lock);
		}
	}
	omp_destroy_lock(&lock);
	MPI_Finalize();
	return 0;
}
