/* Persistent requests between pairs of ranks; rank 2 calls smooth() more often. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	MPI_Request requests[2];
	int mine = rank, theirs;
	MPI_Send_init(&mine, 1, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD, &requests[0]);
	MPI_Recv_init(&theirs, 1, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD, &requests[1]);
	for (int step = 0; step < STEPS; step++) {
		for (int i = 0; i < (rank == 2 ? 5 : 2); i++)
			smooth(1);
		MPI_Startall(2, requests);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	}
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
	MPI_Finalize();
	return 0;
}
