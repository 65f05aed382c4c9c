/* Virtual time of the threads of a team (virtual_teams_test.sh), in three teams: the worker is slowed
 * by probes; the first thread is, and the worker is late by itself; each in turn, with a barrier between. */
#include <mpi.h>
#include <omp.h>
#include <time.h>

#include "slowed.h"

PLAIN static void late(void)
{
	nanosleep(&(struct timespec){ 0, 100 * MS }, NULL);
}

PLAIN int main(int argc, char **argv)
{
	int got, rank;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &got);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 1)
		slowed();
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 1)
		late();
	else
		slowed();
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0)
			slowed();
#pragma omp barrier
		if (omp_get_thread_num() == 1)
			slowed();
	}
	MPI_Finalize();
	return 0;
}
