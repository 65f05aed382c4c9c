/* Rank 0 gathers, and assembles for 4 ms while the others wait for the next step. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

static void assemble(void)
{
	nap(4);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		int all[RANKS_MOST];
		smooth(2);
		MPI_Gather(&step, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
		if (rank == 0)
			assemble();
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
