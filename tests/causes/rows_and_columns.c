/* Ranks reduce in rows, then in columns; rank 1 is slow before the rows. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	MPI_Comm row, column;
	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &column);
	for (int step = 0; step < STEPS; step++) {
		double mine = rank, sum;
		smooth(rank == 1 ? 5 : 2);
		MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, row);
		MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, column);
	}
	MPI_Comm_free(&row);
	MPI_Comm_free(&column);
	MPI_Finalize();
	return 0;
}
