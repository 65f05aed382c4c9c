/* Rank 0 sends synchronously to rank 1, which works before it receives; 2 and 3 do not. */
#include "case.h"

static void digest(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		digest(rank == 1 ? 6 : 2);
		if (rank % 2 == 0)
			MPI_Ssend(&step, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
		else
			MPI_Recv(&step, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
