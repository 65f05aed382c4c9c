/* hang: programs that hang until somebody kills them, in the way their argument says.
 * ring: every rank sends to the next one, synchronously, before anybody receives.
 * barrier: all but rank 1 are in a barrier; rank 1 is not.
 * request: rank 0 waits for a message that rank 1 never sends, and rank 1 for one of rank 0. */
#include <mpi.h>
#include <string.h>
#include <unistd.h>

static void ring(int rank, int size)
{
	int data = rank;

	MPI_Ssend(&data, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD);
	MPI_Recv(&data, 1, MPI_INT, (rank + size - 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void compute(void)
{
	pause();
}

static void barrier(int rank)
{
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		compute();
	MPI_Barrier(MPI_COMM_WORLD);
}

static void request(int rank)
{
	MPI_Request r;
	int data;

	MPI_Irecv(&data, 1, MPI_INT, rank ^ 1, 40 + rank, MPI_COMM_WORLD, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "ring";
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (strcmp(how, "ring") == 0)
		ring(rank, size);
	else if (strcmp(how, "barrier") == 0)
		barrier(rank);
	else
		request(rank);
	MPI_Finalize();
	return 0;
}
