/* All ranks do the same, and exchange 64 kB with their neighbours. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		smooth(3);
		halo(1 << 16);
	}
	MPI_Finalize();
	return 0;
}
