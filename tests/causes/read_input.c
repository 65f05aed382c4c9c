/* Rank 0 reads input for 150 ms and broadcasts it before the first step. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

static void read_input(void)
{
	nap(150);
}

int main(void)
{
	BEGIN();
	int input = 0;
	if (rank == 0)
		read_input();
	MPI_Bcast(&input, 1, MPI_INT, 0, MPI_COMM_WORLD);
	for (int step = 0; step < STEPS; step++) {
		smooth(2);
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
