/* between_groups: four ranks, the first two and the last two talk over an inter-communicator. Rank 1 comes 50 ms late to a
 * collective of both groups; then only the second group has something to send. */
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int rank, own = 7, theirs[2];
	MPI_Comm half, inter;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 3, &inter);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		usleep(50000);
	MPI_Allgather(&own, 1, MPI_INT, theirs, 1, MPI_INT, inter);
	MPI_Allgather(&own, rank < 2 ? 0 : 1, MPI_INT, theirs, rank < 2 ? 1 : 0, MPI_INT, inter);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
	MPI_Finalize();
	return 0;
}
