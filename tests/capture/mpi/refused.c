/* Two ranks whose errors return. Refused on both: MPI_Bcast of root 99 twice, MPI_Allreduce without an
 * operation, MPI_Send to rank 99 and of a negative count, MPI_Isend to rank 99, MPI_Recv from rank 99,
 * MPI_Sendrecv to rank 99. Between and after them each rank calls MPI_Barrier 5 times. Rank 0 sends 10 messages:
 * 6 and 9 of 20 bytes, the others of 40, which rank 1 receives into 20: by MPI_Recv; by MPI_Irecv with MPI_Wait,
 * MPI_Waitany, MPI_Test; three with MPI_Waitall and three with MPI_Waitsome. */
#include <mpi.h>
static int ten[10], five[5];
static void refused(int rank)
{
	int v = 0, w;
	MPI_Request request;

	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Bcast(&v, 1, MPI_INT, 99, MPI_COMM_WORLD);
	MPI_Send(&v, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Bcast(&v, 1, MPI_INT, 99, MPI_COMM_WORLD);
	MPI_Allreduce(&v, &w, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD);
	MPI_Send(&v, -1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Isend(&v, 1, MPI_INT, 99, 0, MPI_COMM_WORLD, &request);
	MPI_Recv(&v, 1, MPI_INT, 99, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&v, 1, MPI_INT, 99, 0, &w, 1, MPI_INT, 99, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
}
static void send(void)
{
	for (int tag = 1; tag <= 10; tag++)
		MPI_Send(ten, tag == 6 || tag == 9 ? 5 : 10, MPI_INT, 1, tag, MPI_COMM_WORLD);
}
static int pending(const MPI_Request *r)
{
	return r[0] != MPI_REQUEST_NULL || r[1] != MPI_REQUEST_NULL || r[2] != MPI_REQUEST_NULL;
}
static void receive(void)
{
	MPI_Request r[6];
	MPI_Status s[6];
	int flag = 0, index, n, indices[6];

	MPI_Recv(five, 5, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Irecv(five, 5, MPI_INT, 0, 2, MPI_COMM_WORLD, r);
	MPI_Wait(r, MPI_STATUS_IGNORE);
	MPI_Irecv(five, 5, MPI_INT, 0, 3, MPI_COMM_WORLD, r);
	MPI_Waitany(1, r, &index, MPI_STATUS_IGNORE);
	MPI_Irecv(five, 5, MPI_INT, 0, 4, MPI_COMM_WORLD, r);
	while (!flag && MPI_Test(r, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS)
		;
	for (int i = 0; i < 3; i++)
		MPI_Irecv(five, 5, MPI_INT, 0, 5 + i, MPI_COMM_WORLD, r + i);
	do
		MPI_Waitall(3, r, s);
	while (pending(r));
	for (int i = 0; i < 3; i++)
		MPI_Irecv(five, 5, MPI_INT, 0, 8 + i, MPI_COMM_WORLD, r + i);
	do
		MPI_Waitsome(3, r, &n, indices, s);
	while (pending(r));
}
int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	refused(rank);
	if (rank == 0)
		send();
	else
		receive();
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
