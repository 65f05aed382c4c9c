/* Rank 0 works on what comes first, with MPI_Waitany; rank 2 is late with all. */
#include "case.h"

static void work(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		MPI_Request requests[RANKS_MOST];
		int items[RANKS_MOST], done, answer = 0;
		for (int i = 0; rank == 0 && i < ranks - 1; i++)
			MPI_Irecv(&items[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
		for (int i = 0; rank == 0 && i < ranks - 1; i++)
			MPI_Waitany(ranks - 1, requests, &done, MPI_STATUS_IGNORE);
		if (rank > 0) {
			work(rank == 2 ? 6 : 2);
			MPI_Send(&step, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		}
		MPI_Bcast(&answer, 1, MPI_INT, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
