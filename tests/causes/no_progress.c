/* Rank 1 begins to send data that has to be packed, then computes: the message is left alone. */
#include "case.h"

enum { BLOCKS = 1 << 16, BYTES = 16 * BLOCKS };

static char data[2 * BYTES];

static void inner(void)
{
	nap(5);
}

int main(void)
{
	BEGIN();
	MPI_Datatype blocks;
	MPI_Type_vector(BLOCKS, 16, 32, MPI_CHAR, &blocks);
	MPI_Type_commit(&blocks);
	for (int step = 0; step < STEPS; step++) {
		MPI_Request request;
		if (rank == 1)
			MPI_Isend(data, 1, blocks, 2, 0, MPI_COMM_WORLD, &request);
		if (rank == 2)
			MPI_Recv(data, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		inner();
		if (rank == 1)
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		REDUCE();
	}
	MPI_Type_free(&blocks);
	MPI_Finalize();
	return 0;
}
