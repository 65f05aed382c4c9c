/* Rank 2 sets something up for 120 ms before the first step. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

static void setup(void)
{
	nap(120);
}

int main(void)
{
	BEGIN();
	if (rank == 2)
		setup();
	MPI_Barrier(MPI_COMM_WORLD);
	for (int step = 0; step < STEPS; step++) {
		smooth(2);
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
