/* The ranks write one after the other, with a barrier between. */
#include "case.h"

static void section(void)
{
	nap(2);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		for (int turn = 0; turn < ranks; turn++) {
			if (turn == rank)
				section();
			MPI_Barrier(MPI_COMM_WORLD);
		}
	}
	MPI_Finalize();
	return 0;
}
