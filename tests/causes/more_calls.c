/* Rank 1 calls smooth() 12 times in each step, the others 4 times. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		for (int i = 0; i < (rank == 1 ? 12 : 4); i++)
			smooth(0.5);
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
