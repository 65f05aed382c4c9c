/* Ranks 0 and 1 exchange 400 messages in each step, other pairs four: imbalance without work. */
#include "case.h"

static void exchange(int n)
{
	int item = 0, got;

	for (int i = 0; i < n; i++)
		MPI_Sendrecv(&item, 1, MPI_INT, rank ^ 1, 0, &got, 1, MPI_INT, rank ^ 1, 0,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		exchange(rank < 2 ? 400 : 4);
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
