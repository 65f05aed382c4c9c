/* crash: rank 1 ends in the middle of its work, in the way its argument says: segv, kill, abort, mpi_abort, exit, none.
 * Before that it sends three messages, which rank 0 receives and then says so. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tally.h"

static void end(const char *how)
{
	volatile int *nowhere = NULL;

	if (!strcmp(how, "segv"))
		*nowhere = 1;
	else if (!strcmp(how, "kill"))
		raise(SIGKILL);
	else if (!strcmp(how, "abort"))
		abort();
	else if (!strcmp(how, "mpi_abort"))
		MPI_Abort(MPI_COMM_WORLD, 3);
	else if (!strcmp(how, "exit"))
		exit(5);
}

static void work(const char *how)
{
	for (int i = 0; i < 3; i++)
		MPI_Send(&i, 1, MPI_INT, 0, 40 + i, MPI_COMM_WORLD);
	MPI_Recv(NULL, 0, MPI_INT, 0, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	end(how);
}

int main(int argc, char **argv)
{
	int rank, data;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	tally_begin(rank);
	if (rank == 1)
		work(argc > 1 ? argv[1] : "none");
	if (rank == 0) {
		for (int i = 0; i < 3; i++)
			MPI_Recv(&data, 1, MPI_INT, 1, 40 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(NULL, 0, MPI_INT, 1, 50, MPI_COMM_WORLD);
		MPI_Recv(&data, 1, MPI_INT, 1, 99, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE); /* for ever */
	}
	MPI_Finalize();
	return 0;
}
