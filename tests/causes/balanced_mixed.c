/* All ranks do the same, with a halo exchange and a reduction. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		smooth(2);
		halo(1024);
		smooth(1);
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
