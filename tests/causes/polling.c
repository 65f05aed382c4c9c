/* A pipeline in which receives are tested for until they are there. Rank 0 is slow. */
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
	MPI_Request request;
	int done = 0;

	MPI_Irecv(item, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, &request);
	while (!done) {
		MPI_Test(&request, &done, MPI_STATUS_IGNORE);
		nap(0.1);
	}
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
