/* A pipeline from rank 0 to 3: rank 0 is slow, so rank 3 waits for 2, 2 for 1, 1 for 0. */
#include "case.h"

static void produce(double ms)
{
	nap(ms);
}

static void pass_on(void (*receive)(int *))
{
	int item = 0;

	if (rank > 0)
		receive(&item);
	produce(rank == 0 ? 6 : 1.5);
	if (rank < ranks - 1)
		MPI_Send(&item, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
}

static void receive(int *item)
{
	MPI_Recv(item, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		pass_on(receive);
	}
	MPI_Finalize();
	return 0;
}
