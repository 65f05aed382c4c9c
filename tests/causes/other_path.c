/* After the common work rank 2 repairs something, which the others need not. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

static void repair(void)
{
	nap(4);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		smooth(2);
		if (rank == 2)
			repair();
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
