/* Work that needs a core: rank 2 calls compute() 8 times, the others once. */
#include "case.h"

static void compute(void)
{
	spin(0.4);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		for (int i = 0; i < (rank == 2 ? 8 : 1); i++)
			compute();
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
