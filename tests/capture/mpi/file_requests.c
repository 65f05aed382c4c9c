/* files: each rank writes 1000 + 200 bytes and reads 300 + 400, by requests and by halves of collectives; with large counts
 * 50 more, where MPI has them. */
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	static char data[4096];
	int rank, done = 0;
	MPI_File file;
	MPI_Request r[2];
	MPI_Status status;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
	MPI_File_iwrite_at(file, rank * 2000, data, 1000, MPI_BYTE, &r[0]);
	while (!done)
		MPI_Test(&r[0], &done, MPI_STATUS_IGNORE);
	MPI_File_write_at_all_begin(file, rank * 2000 + 1000, data, 100, MPI_SHORT);
	MPI_File_write_at_all_end(file, data, &status);
	MPI_File_iread_at(file, rank * 2000, data, 300, MPI_BYTE, &r[0]);
	MPI_File_iread_at_all(file, rank * 2000, data + 1000, 100, MPI_INT, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
#if MPI_VERSION >= 4
	MPI_File_write_at_c(file, rank * 2000, data, 50, MPI_BYTE, &status);
#endif
	MPI_File_close(&file);
	MPI_Finalize();
	return 0;
}
