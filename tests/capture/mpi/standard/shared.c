/* shared: two ranks that send each other 20 x 3 messages of 8 bytes, three at a time, so that sends that are complete at once
 * have one handle. */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, from[3][2], to[2] = { 1, 2 };
	MPI_Request r[6];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 20; i++) {
		for (int k = 0; k < 3; k++)
			MPI_Irecv(from[k], 2, MPI_INT, 1 - rank, k, MPI_COMM_WORLD, &r[k]);
		for (int k = 0; k < 3; k++)
			MPI_Isend(to, 2, MPI_INT, 1 - rank, k, MPI_COMM_WORLD, &r[3 + k]);
		MPI_Waitall(6, r, MPI_STATUSES_IGNORE);
	}
	MPI_Finalize();
	return r[3] == r[4] ? 0 : 1;
}
