/* A token lets one rank after the other through section(): a critical section. */
#include "case.h"

static void section(void)
{
	nap(2);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		int token = step;
		if (rank > 0)
			MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		section();
		if (rank < ranks - 1)
			MPI_Send(&token, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
