/* Work that needs a core: rank 1 computes for 3 ms, the others 0.5 ms. */
#include "case.h"

static void compute(double ms)
{
	spin(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		compute(rank == 1 ? 3 : 0.5);
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
