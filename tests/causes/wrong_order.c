/* Even ranks receive first what the ranks above them send last. */
#include "case.h"

static void work(double ms)
{
	nap(ms);
}

static void take(int tag)
{
	int item;

	MPI_Recv(&item, 1, MPI_INT, rank + 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	work(2);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		if (rank % 2 == 0) {
			take(2);
			take(1);
		} else {
			MPI_Send(&step, 1, MPI_INT, rank - 1, 1, MPI_COMM_WORLD);
			work(3);
			MPI_Send(&step, 1, MPI_INT, rank - 1, 2, MPI_COMM_WORLD);
			work(4);
		}
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
