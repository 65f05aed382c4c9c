/* smooth() takes longer in each step on rank 2: from 2 to 6 ms. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		smooth(rank == 2 ? 2 + 0.1 * step : 2);
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
