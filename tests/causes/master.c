/* Rank 0 hands out work, and takes 1.5 ms for each request; the others work for 1 ms. */
#include "case.h"

static void decide(void)
{
	nap(1.5);
}

static void work(void)
{
	nap(1);
}

static void serve(void)
{
	int item = 0;
	MPI_Status status;

	MPI_Recv(&item, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
	decide();
	MPI_Send(&item, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD);
}

static void ask(void)
{
	int item = 0;

	MPI_Send(&item, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Recv(&item, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	work();
}

int main(void)
{
	BEGIN();
	for (int i = 0; i < STEPS * (rank == 0 ? ranks - 1 : 1); i++)
		if (rank == 0)
			serve();
		else
			ask();
	MPI_Finalize();
	return 0;
}
