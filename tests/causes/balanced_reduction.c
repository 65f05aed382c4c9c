/* All ranks do the same, then reduce. */
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
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
