/* only_timed FILE: on each of two ranks 5 MPI_Probe with a message of 4 bytes each, of which only the time is recorded;
 * 2 MPI_Comm_idup and 3 MPI_File_iwrite_at, which are recorded, and calls that only ask: none of these is missing. */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, n, value = 1, given, got;
	MPI_Request request;
	MPI_Status status;
	MPI_Comm copy;
	MPI_File file;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	for (int i = 0; i < 5; i++) {
		MPI_Send(&value, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD);
		MPI_Probe(1 - rank, 7, MPI_COMM_WORLD, &status);
		MPI_Get_count(&status, MPI_INT, &got);
		MPI_Recv(&given, got, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_File_open(MPI_COMM_WORLD, argv[1],
		      MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
		      &file);
	for (int i = 0; i < 3; i++) {
		MPI_File_iwrite_at(file, 4 * rank, &value, 1, MPI_INT, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	MPI_File_close(&file);
	for (int i = 0; i < 2; i++) {
		MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_Comm_free(&copy);
	}
	MPI_Finalize();
	return n == 2 ? 0 : 1;
}
