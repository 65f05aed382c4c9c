/* All set up, rank 3 for 120 ms, the others for 5 ms. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

static void setup(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	setup(rank == 3 ? 120 : 5);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int step = 0; step < STEPS; step++) {
		smooth(2);
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
