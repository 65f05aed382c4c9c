/* late_vectors: rank 1 comes 50 ms late to exchanges in which each rank gets something from each other one: MPI_Alltoallv, in place,
 * MPI_Alltoallw, MPI_Ialltoallv; and to one from which rank 0 gets nothing: who waits for whom is not known there. */
#include <mpi.h>
#include <time.h>
enum { RANKS = 2 };
static void late(int rank, double seconds)
{
	MPI_Barrier(MPI_COMM_WORLD);
	const double end = MPI_Wtime() + seconds;
	while (rank == 1 && MPI_Wtime() < end)
		;
}
int main(int argc, char **argv)
{
	int rank, to[RANKS], from[RANKS], at[RANKS], places[RANKS], out[3 * RANKS] = { 0 }, in[3 * RANKS];
	MPI_Datatype types[RANKS];
	MPI_Request r;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < RANKS; i++) { /* rank r sends r + 1 numbers to each, and nothing to itself */
		to[i] = i == rank ? 0 : rank + 1;
		from[i] = i == rank ? 0 : i + 1;
		at[i] = 3 * i;
		places[i] = 3 * i * (int)sizeof(int);
		types[i] = MPI_INT;
	}
	late(rank, 0.05);
	MPI_Alltoallv(out, to, at, MPI_INT, in, from, at, MPI_INT, MPI_COMM_WORLD);
	late(rank, 0.05);
	MPI_Alltoallw(out, to, places, types, in, from, places, types, MPI_COMM_WORLD);
	late(rank, 0.05);
	MPI_Ialltoallv(out, to, at, MPI_INT, in, from, at, MPI_INT, MPI_COMM_WORLD, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	if (rank == 1)
		to[0] = 0;
	else
		from[1] = 0;
	late(rank, 0.05);
	MPI_Alltoallv(out, to, at, MPI_INT, in, from, at, MPI_INT, MPI_COMM_WORLD);
	for (int i = 0; i < RANKS; i++)
		to[i] = 2;
	late(rank, 0.05);
	MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, to, at, MPI_INT, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
