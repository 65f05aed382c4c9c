/* Rank 0 writes something in every 10th step. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

static void output(void)
{
	nap(40);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		smooth(2);
		if (rank == 0 && step % 10 == 9)
			output();
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
