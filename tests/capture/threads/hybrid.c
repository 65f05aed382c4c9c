/* Two ranks with two threads each: in every step thread 1 of rank 1 works 20 ms longer than all
 * others, so that the team waits for it, and rank 0 for the team. */
#include <mpi.h>
#include <omp.h>
#include <time.h>

static void work(int ms)
{
	nanosleep(&(struct timespec){ 0, ms * 1000000L }, NULL);
}

int main(int argc, char **argv)
{
	int rank, level, sum, one = 1;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 5; i++) {
#pragma omp parallel num_threads(2)
		work(rank == 1 && omp_get_thread_num() == 1 ? 25 : 5);
		MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return sum != 2;
}
