/* Each step has 5 to 9 sweeps with a halo exchange each; rank 1 is slow in all of them. */
#include "case.h"

static void sweep(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS / 4; step++) {
		for (int i = 0; i < 5 + step % 5; i++) {
			sweep(rank == 1 ? 3 : 1);
			halo(1024);
		}
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
