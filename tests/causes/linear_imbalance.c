/* smooth() takes longer the higher the rank: 1, 2, 3, 4 ms. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		smooth(1 + rank);
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
