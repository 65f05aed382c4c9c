/* passed_on: of MPI 4: rank 0 sends 6 messages by MPI_Send_c that rank 1 receives by MPI_Recv_c, then one in two partitions.
 * "exit" and "kill": both end in this way before that. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	int rank, data[2] = { 1, 2 };
	MPI_Request request;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 6; i++) {
		if (rank == 0)
			MPI_Send_c(data, 2, MPI_INT, 1, 1, MPI_COMM_WORLD);
		else
			MPI_Recv_c(data, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (argc > 1 && !strcmp(argv[1], "exit"))
		exit(0);
	if (argc > 1)
		raise(SIGKILL);
	if (rank == 0) {
		MPI_Psend_init(data, 2, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
		MPI_Start(&request);
		MPI_Pready(0, request);
		MPI_Pready(1, request);
	} else {
		MPI_Precv_init(data, 2, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
		MPI_Start(&request);
	}
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Request_free(&request);
	MPI_Finalize();
	return 0;
}
