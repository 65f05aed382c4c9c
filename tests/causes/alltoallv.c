/* Ranks exchange with MPI_Alltoallv; smooth() takes 5 ms on rank 1, else 2 ms. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	int mine[4] = { 1, 2, 3, 4 }, theirs[4], n[4] = { 1, 1, 1, 1 }, at[4] = { 0, 1, 2, 3 };
	for (int step = 0; step < STEPS; step++) {
		smooth(rank == 1 ? 5 : 2);
		MPI_Alltoallv(mine, n, at, MPI_INT, theirs, n, at, MPI_INT, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
