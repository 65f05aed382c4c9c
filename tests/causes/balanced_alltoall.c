/* All ranks do the same, then exchange all with all. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		int mine[RANKS_MOST] = { 0 }, theirs[RANKS_MOST];
		smooth(2);
		MPI_Alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
