/* Neighbours on a ring exchange by a neighbourhood collective; rank 3 is slow. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	int size = ranks, periodic = 1, mine = rank, theirs[2];
	MPI_Comm ring;
	MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
	for (int step = 0; step < STEPS; step++) {
		smooth(rank == 3 ? 5 : 2);
		MPI_Neighbor_allgather(&mine, 1, MPI_INT, theirs, 1, MPI_INT, ring);
	}
	MPI_Comm_free(&ring);
	MPI_Finalize();
	return 0;
}
