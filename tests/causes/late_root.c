/* Rank 0 prepares for 4 ms what it broadcasts. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

static void prepare(void)
{
	nap(4);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		int item = step;
		if (rank == 0)
			prepare();
		MPI_Bcast(&item, 1, MPI_INT, 0, MPI_COMM_WORLD);
		smooth(2);
	}
	MPI_Finalize();
	return 0;
}
