/* A pipeline of work that needs a core; rank 0 is slow. */
#include "case.h"

static void produce(double ms)
{
	spin(ms);
}

static void pass_on(void (*receive)(int *))
{
	int item = 0;

	if (rank > 0)
		receive(&item);
	produce(rank == 0 ? 4 : 0.5);
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
