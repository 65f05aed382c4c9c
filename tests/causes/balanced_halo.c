/* All ranks do the same, then exchange with their neighbours. */
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
	}
	MPI_Finalize();
	return 0;
}
