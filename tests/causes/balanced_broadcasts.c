/* All ranks do the same; each broadcasts in turn. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		int item = step;
		smooth(2);
		MPI_Bcast(&item, 1, MPI_INT, step % ranks, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
