/* Ranks exchange with MPI_Alltoallv; smooth() takes 5 ms on rank 1, else 2 ms. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	int mine[RANKS_MOST] = { 0 }, theirs[RANKS_MOST], n[RANKS_MOST], at[RANKS_MOST];
	for (int i = 0; i < RANKS_MOST; i++) {
		n[i] = 1;
		at[i] = i;
	}
	for (int step = 0; step < STEPS; step++) {
		smooth(rank == 1 ? 5 : 2);
		MPI_Alltoallv(mine, n, at, MPI_INT, theirs, n, at, MPI_INT, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
