/* Rank 1 sends 1 MiB as 2^20 blocks of a byte, the other odd ranks as one block. */
#include "case.h"

enum { BYTES = 1 << 20 };

static char data[2 * BYTES];

static void exchange(MPI_Datatype type, int n)
{
	if (rank % 2)
		MPI_Send(data, n, type, rank - 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(data, BYTES, MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(void)
{
	BEGIN();
	MPI_Datatype blocks;
	MPI_Type_vector(BYTES, 1, 2, MPI_CHAR, &blocks);
	MPI_Type_commit(&blocks);
	for (int step = 0; step < STEPS; step++) {
		if (rank == 1)
			exchange(blocks, 1);
		else
			exchange(MPI_CHAR, BYTES);
		REDUCE();
	}
	MPI_Type_free(&blocks);
	MPI_Finalize();
	return 0;
}
