/* Rank 3 sleeps for 3 ms in each step: it waits for something outside of the program. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

static void idle(void)
{
	nap(3);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		smooth(2);
		if (rank == 3)
			idle();
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
