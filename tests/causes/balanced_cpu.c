/* Work that needs a core, on all ranks; they may share cores. */
#include "case.h"

static void compute(void)
{
	spin(1);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		compute();
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
