/* In every 5th step smooth() takes 20 ms on rank 1, else 2 ms. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		smooth(rank == 1 && step % 5 == 4 ? 20 : 2);
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
