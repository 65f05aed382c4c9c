/* Rank 1 begins to send 1 MiB, then works in inner() before it waits: the message is left alone. */
#include "case.h"

enum { BYTES = 1 << 20 };

static char data[BYTES];

static void inner(void)
{
	nap(5);
}

static void smooth(void)
{
	nap(1);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		MPI_Request request;
		if (rank == 1) {
			MPI_Isend(data, BYTES, MPI_CHAR, 2, 0, MPI_COMM_WORLD, &request);
			inner();
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		} else if (rank == 2) {
			MPI_Recv(data, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
		smooth();
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
