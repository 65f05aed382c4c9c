/* A halo exchange; rank 2 calls smooth() 5 times in each step, the others twice. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		for (int i = 0; i < (rank == 2 ? 5 : 2); i++)
			smooth(1);
		halo(1024);
	}
	MPI_Finalize();
	return 0;
}
