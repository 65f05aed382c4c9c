/* collectives: rank 1 comes 20 ms late to three non-blocking reductions, 50 to an exchange among neighbours; persistent ones,
 * where MPI has them, that rank 0 begins 10 ms late. */
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define MPI_Bcast_init MPIX_Bcast_init
#endif
#include <time.h>
static void work(double seconds)
{
	const double end = MPI_Wtime() + seconds;
	while (MPI_Wtime() < end)
		;
}
int main(int argc, char **argv)
{
	int rank, n, one = 1, sum, dims[1] = { 0 }, periods[1] = { 0 }, in[2] = { 0 }, out[2] = { 0 };
	MPI_Request r;
	MPI_Comm line;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	dims[0] = n;
	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &line);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < 3; i++) {
		if (rank == 1)
			work(0.05);
		MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
		work(0.002);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		work(0.25);
	MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, line);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Bcast_init(&one, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
	for (int i = 0; i < 2; i++) {
		if (rank == 0)
			work(0.01);
		MPI_Start(&r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&r);
	MPI_Ineighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, line, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Comm_free(&line);
	MPI_Finalize();
	return sum != n;
}
