/* Before the common work rank 2 repairs something, which the others need not. */
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
		if (rank == 2)
			repair();
		smooth(2);
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
