/* The first step allocates on all ranks; rank 1 takes 150 ms for that, the others 20. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

static void allocate(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		if (step == 0)
			allocate(rank == 1 ? 150 : 20);
		smooth(2);
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
