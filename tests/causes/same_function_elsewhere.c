/* kernel() is called by predict() and correct(); only in correct() it is slow on rank 2. */
#include "case.h"

static void kernel(double ms)
{
	nap(ms);
}

static void predict(void)
{
	kernel(2);
}

static void correct(double ms)
{
	kernel(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		predict();
		REDUCE();
		correct(rank == 2 ? 5 : 2);
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
