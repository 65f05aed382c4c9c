/* What MPI 4 added, two ranks: partitions (rank 0 makes 8, the last one 50 ms late; rank 1 takes 4, twice), 3 exchanges by
 * one request, large counts, persistent collectives that the ranks start in different order, a communicator by request. */
#include <mpi.h>
#include <time.h>
static void work(double seconds)
{
	const double end = MPI_Wtime() + seconds;
	while (MPI_Wtime() < end)
		;
}
static void partitions(int rank)
{
	double data[8] = { 0 };
	MPI_Request r;
	if (rank == 0)
		MPI_Psend_init(data, 8, 1, MPI_DOUBLE, 1, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
	else
		MPI_Precv_init(data, 4, 2, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
	for (int i = 0; i < 2; i++) {
		int list[] = { 3, 4, 5 };
		MPI_Start(&r);
		if (rank == 0) {
			MPI_Pready(0, r);
			MPI_Pready_range(1, 2, r);
			MPI_Pready_list(3, list, r);
			MPI_Pready(6, r);
			work(0.05);
			MPI_Pready(7, r);
		}
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&r);
}
static void exchange(int rank)
{
	int give[100] = { 0 }, take[100];
	MPI_Request r;
	for (int i = 0; i < 3; i++) {
		if (rank == 0)
			work(0.05);
		if (i < 2)
			MPI_Isendrecv(give, 10 + i, MPI_INT, 1 - rank, 5, take, 100, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, &r);
		else
			MPI_Isendrecv_replace(give, 100, MPI_INT, 1 - rank, 5, 1 - rank, 5, MPI_COMM_WORLD, &r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
}
static void large(int rank)
{
	char give[1000] = { 0 }, take[1000];
	MPI_Count counts[2] = { 100, 300 };
	MPI_Aint at[2] = { 0, 100 };
	MPI_Request r[2];
	if (rank == 0)
		MPI_Send_c(give, 1000, MPI_BYTE, 1, 6, MPI_COMM_WORLD);
	else
		MPI_Recv_c(take, 1000, MPI_BYTE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Irecv_c(take, 1000, MPI_BYTE, 1 - rank, 6, MPI_COMM_WORLD, &r[0]);
	MPI_Isend_c(give, 500, MPI_BYTE, 1 - rank, 6, MPI_COMM_WORLD, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	MPI_Allgatherv_c(give, counts[rank], MPI_BYTE, take, counts, at, MPI_BYTE, MPI_COMM_WORLD);
	MPI_Ibcast_c(give, 1000, MPI_BYTE, 0, MPI_COMM_WORLD, &r[0]);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
}
static void persistent(int rank)
{
	int a = 0, b = 0, sum = 0;
	MPI_Request r[2];
	MPI_Bcast_init(&a, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
	MPI_Allreduce_init(&b, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
	if (rank == 1)
		work(0.05);
	for (int i = 0; i < 2; i++) {
		MPI_Start(&r[rank]);
		MPI_Start(&r[1 - rank]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	}
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
}
static void made_by_request(void)
{
	MPI_Comm made;
	MPI_Request r;
	MPI_Comm_idup(MPI_COMM_WORLD, &made, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Barrier(made);
	MPI_Comm_free(&made);
}
int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	partitions(rank);
	MPI_Barrier(MPI_COMM_WORLD);
	exchange(rank);
	MPI_Barrier(MPI_COMM_WORLD);
	large(rank);
	MPI_Barrier(MPI_COMM_WORLD);
	persistent(rank);
	made_by_request();
	MPI_Finalize();
	return 0;
}
