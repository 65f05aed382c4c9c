/* passed_on: of MPI 4: two ranks exchange 6 messages each way by MPI_Isendrecv, and receive from anybody; MPICH 4.0 does not
 * say from whom. "exit" and "kill": both end in this way. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	int rank, data[2] = { 1, 2 }, got[2];
	MPI_Request request;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 6; i++) {
		MPI_Isendrecv(data, 2, MPI_INT, 1 - rank, 1, got, 2, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (argc > 1 && !strcmp(argv[1], "exit"))
		exit(0);
	if (argc > 1)
		raise(SIGKILL);
	MPI_Finalize();
	return 0;
}
