/* Rank 3 writes something in every 4th step. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

static void output(void)
{
	nap(16);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		smooth(2);
		if (rank == 3 && step % 4 == 3)
			output();
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
