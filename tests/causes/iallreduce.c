/* A non-blocking reduction; smooth() takes 5 ms on rank 2, else 2 ms. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		double mine = rank, all;
		MPI_Request request;
		smooth(rank == 2 ? 5 : 2);
		MPI_Iallreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
