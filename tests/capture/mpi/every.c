/* every: on each rank of a ring 16 messages sent and 16 received of 10,564 bytes, 6 collective calls, and one receive that
 * is cancelled. */
#include <mpi.h>
static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i];
}
int main(int argc, char **argv)
{
	static char from[4096], to[4096];
	int rank, n, one = 1, sum, some[2];
	MPI_Request r[2];
	MPI_Status s[2];
	MPI_Op op;
	MPI_Comm copy;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	const int next = (rank + 1) % n, last = (rank + n - 1) % n;
	for (int i = 1; i <= 10; i++) {
		MPI_Irecv(to, 4096, MPI_BYTE, last, 1, MPI_COMM_WORLD, &r[0]);
		MPI_Send(from, 100 * i, MPI_BYTE, next, 1, MPI_COMM_WORLD);
		MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	}
	for (int i = 0; i < 5; i++) {
		MPI_Irecv(to, 250, MPI_INT, last, 2, MPI_COMM_WORLD, &r[0]);
		MPI_Isend(from, 250, MPI_INT, next, 2, MPI_COMM_WORLD, &r[1]);
		MPI_Waitall(2, r, i % 2 ? s : MPI_STATUSES_IGNORE);
	}
	MPI_Sendrecv(from, 8, MPI_DOUBLE, next, 3, to, 8, MPI_DOUBLE, last, 3, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	MPI_Send(from, 8, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD);
	MPI_Recv(to, 8, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Irecv(to, 8, MPI_INT, last, 99, MPI_COMM_WORLD, &r[0]);
	MPI_Cancel(&r[0]);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	MPI_Op_create(add, 1, &op);
	MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
	some[0] = some[1] = rank;
	MPI_Allreduce(MPI_IN_PLACE, some, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	for (int i = 0; i < 3; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	MPI_Bcast(some, 2, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Comm_dup(MPI_COMM_WORLD, &copy);
	MPI_Comm_free(&copy);
	MPI_Op_free(&op);
	MPI_Finalize();
	return sum == n ? 0 : 1;
}
