/* Rank 2 is slow before a halo exchange, after which all reduce. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

static void finish(void)
{
	nap(0.5);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		smooth(rank == 2 ? 5 : 2);
		halo(1024);
		finish();
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
