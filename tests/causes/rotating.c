/* In each step another rank, one after the other, takes 6 ms in smooth() instead of 2. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		smooth(step % ranks == rank ? 6 : 2);
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
