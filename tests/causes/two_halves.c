/* Rank 1 is slow in the first half of the run, rank 3 in the second. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		const int slow = step < STEPS / 2 ? 1 : 3;
		smooth(rank == slow ? 6 : 2);
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
