/* hang: programs that hang until somebody kills them, in the way their argument says.
 * Every rank says so on standard error before it does.
 * ring: every rank sends to the next one, synchronously, before anybody receives.
 * receive: every rank receives from the next one before anybody sends.
 * exchange: rank 1 is busy; the others exchange with their neighbours: 2 receives from 1, 3 from 2, 0 from 3.
 * probe: ranks 0 and 1 probe for a message of each other, 2 and 3 for one of anybody.
 * init: rank 2 never calls MPI_Init.
 * barrier: all but rank 1 are in a barrier; rank 1 is not.
 * request: rank 0 waits for a message that rank 1 never sends, and rank 1 for one of rank 0. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static __attribute__((no_instrument_function)) void ready(void)
{
	if (write(STDERR_FILENO, "ready\n", 6) != 6)
		abort();
}

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

static void receive(int rank, int size)
{
	int data = 0;

	/* The message before is done, and awaited no more. */
	MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 3, &data, 1, MPI_INT,
		     (rank + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Recv(&data, 1, MPI_INT, (rank + 1) % size, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Send(&data, 1, MPI_INT, (rank + size - 1) % size, 8, MPI_COMM_WORLD);
}

static void exchange(int rank, int size)
{
	int data = rank;

	if (rank == 1)
		compute();
	MPI_Sendrecv_replace(&data, 1, MPI_INT, (rank + 1) % size, 9, (rank + size - 1) % size, 9,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Recv(&data, 1, MPI_INT, (rank + size - 1) % size, 10, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
}

static void probe(int rank)
{
	MPI_Status status;

	MPI_Probe(rank < 2 ? 1 - rank : MPI_ANY_SOURCE, 11 + rank, MPI_COMM_WORLD, &status);
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
	const char *number = getenv("PMI_RANK");
	int rank, size;

	if (strcmp(how, "init") == 0)
		ready();
	if (strcmp(how, "init") == 0 && number && strcmp(number, "2") == 0)
		compute();
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	ready();
	if (strcmp(how, "ring") == 0)
		ring(rank, size);
	else if (strcmp(how, "receive") == 0)
		receive(rank, size);
	else if (strcmp(how, "exchange") == 0)
		exchange(rank, size);
	else if (strcmp(how, "probe") == 0)
		probe(rank);
	else if (strcmp(how, "barrier") == 0)
		barrier(rank);
	else
		request(rank);
	MPI_Finalize();
	return 0;
}
