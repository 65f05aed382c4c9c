/* counting_tool: a tool of the kind that MPI's profiling interface is for; it counts, and talks in MPI_Finalize. */
#include <mpi.h>
#include <stdio.h>
static int sends, isends, barriers, all;
int MPI_Send(const void *b, int c, MPI_Datatype t, int d, int tag, MPI_Comm m) { sends++; return PMPI_Send(b, c, t, d, tag, m); }
int MPI_Isend(const void *b, int c, MPI_Datatype t, int d, int tag, MPI_Comm m, MPI_Request *r) { isends++; return PMPI_Isend(b, c, t, d, tag, m, r); }
int MPI_Barrier(MPI_Comm m) { barriers++; return PMPI_Barrier(m); }
int MPI_Allreduce(const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm m) { all++; return PMPI_Allreduce(a, b, n, t, o, m); }
int MPI_Finalize(void)
{
	int own[4] = { sends, isends, barriers, all }, sum[4], rank;
	PMPI_Barrier(MPI_COMM_WORLD);
	PMPI_Reduce(own, sum, 4, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		printf("tool: %d sends, %d isends, %d barriers, %d allreduces\n", sum[0], sum[1], sum[2], sum[3]);
	return PMPI_Finalize();
}
