/* A ring of MPI_Sendrecv; smooth() takes 5 ms on rank 2, else 2 ms. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		int got;
		smooth(rank == 2 ? 5 : 2);
		MPI_Sendrecv(&step, 1, MPI_INT, (rank + 1) % ranks, 0, &got, 1, MPI_INT,
			     (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
