/* Rank 1 sends 16 MiB to rank 2 in each step, rank 3 1 kB to rank 0, other pairs as much. */
#include "case.h"

enum { MANY = 16 << 20, FEW = 1024 };

static char data[MANY];

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS / 2; step++) {
		switch (rank) {
		case 0:
			MPI_Recv(data, FEW, MPI_CHAR, 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			break;
		case 1: MPI_Send(data, MANY, MPI_CHAR, 2, 0, MPI_COMM_WORLD); break;
		case 2:
			MPI_Recv(data, MANY, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			break;
		case 3: MPI_Send(data, FEW, MPI_CHAR, 0, 0, MPI_COMM_WORLD); break;
		default:
			if (rank % 2)
				MPI_Send(data, FEW, MPI_CHAR, rank ^ 1, 0, MPI_COMM_WORLD);
			else
				MPI_Recv(data, FEW, MPI_CHAR, rank ^ 1, 0, MPI_COMM_WORLD,
					 MPI_STATUS_IGNORE);
		}
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
