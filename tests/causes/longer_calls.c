/* smooth() takes three times as long on rank 1. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		for (int i = 0; i < 4; i++)
			smooth(rank == 1 ? 1.5 : 0.5);
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
