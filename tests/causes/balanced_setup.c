/* All ranks set up, then step. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

static void setup(void)
{
	nap(60);
}

int main(void)
{
	BEGIN();
	setup();
	MPI_Barrier(MPI_COMM_WORLD);
	for (int step = 0; step < STEPS; step++) {
		smooth(2);
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
