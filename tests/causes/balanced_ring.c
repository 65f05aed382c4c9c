/* All ranks do the same, then exchange in a ring. */
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
		smooth(2);
		MPI_Sendrecv(&step, 1, MPI_INT, (rank + 1) % ranks, 0, &got, 1, MPI_INT,
			     (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
