/* Synchronous sends from rank 0 to 3: rank 3 is slow, so 2 waits to send, 1 for 2, 0 for 1. */
#include "case.h"

static void consume(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		int item = step;
		if (rank > 0)
			MPI_Recv(&item, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		consume(rank == 3 ? 6 : 1.5);
		if (rank < ranks - 1)
			MPI_Ssend(&item, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
