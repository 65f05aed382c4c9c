/* Work that needs a core: only rank 3 repairs something. */
#include "case.h"

static void compute(void)
{
	spin(0.5);
}

static void repair(void)
{
	spin(3);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		compute();
		if (rank == 3)
			repair();
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
