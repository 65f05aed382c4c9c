/* Rank 0 receives from all others; rank 3 is slow. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		int item;
		smooth(rank == 3 ? 6 : 2);
		for (int from = 1; rank == 0 && from < ranks; from++)
			MPI_Recv(&item, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank > 0)
			MPI_Send(&step, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		MPI_Bcast(&item, 1, MPI_INT, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
