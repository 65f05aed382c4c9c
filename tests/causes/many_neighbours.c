/* Rank 0 has messages of all others to unpack, the others those of one. */
#include "case.h"

static void unpack(void)
{
	nap(1);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		int item;
		for (int i = 1; rank == 0 && i < 4 * (ranks - 1); i++) {
			MPI_Recv(&item, 1, MPI_INT, 1 + i % (ranks - 1), 0, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
			unpack();
		}
		for (int i = 1; rank > 0 && i < 4 * (ranks - 1); i++)
			if (rank == 1 + i % (ranks - 1))
				MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		unpack();
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
