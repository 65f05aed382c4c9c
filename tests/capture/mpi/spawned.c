/* Two ranks spawn two more. Each parent sends its child 6 messages and receives 6, half of the last ones without blocking; a ring
 * through all four is one more message each, of which those of parent 1 and of child 1 go to the other job; MPI_Bcast and
 * MPI_Barrier are called with them. The parents exchange 6 messages among themselves.
 * Of the calls of each job 31 are with the other one and name it: 13 that send, 10 of MPI_Recv, 2 of MPI_Test and 2 of MPI_Wait
 * that complete a message, 4 of collectives. */
#include <mpi.h>
int main(int argc, char **argv)
{
	MPI_Comm parent, inter, all;
	MPI_Request r[2];
	MPI_Status status[2];
	int rank, to, v = 0, w = 0, n, done = 0, child;
	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	child = parent != MPI_COMM_NULL;
	inter = parent;
	if (!child) {
		MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
		for (int i = 0; i < 3; i++)
			MPI_Sendrecv(&i, 1, MPI_INT, 1 - rank, 1, &v, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	for (int i = 0; i < 10; i++)
		if ((i + child) % 2 == 0)
			MPI_Send(&i, 1, MPI_INT, rank, 7, inter);
		else
			MPI_Recv(&v, 1, MPI_INT, i % 4 ? rank : MPI_ANY_SOURCE, 7, inter, MPI_STATUS_IGNORE);
	MPI_Irecv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 8, inter, &r[0]);
	MPI_Isend(&w, 1, MPI_INT, rank, 8, inter, &r[1]);
	while (!done)
		MPI_Test(&r[0], &done, &status[0]);
	MPI_Wait(&r[1], &status[1]);
	MPI_Bcast(&v, 1, MPI_INT, child ? 0 : rank ? MPI_PROC_NULL : MPI_ROOT, inter);
	MPI_Intercomm_merge(inter, child, &all);
	MPI_Barrier(all);
	MPI_Comm_rank(all, &to);
	MPI_Comm_size(all, &n);
	MPI_Irecv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 3, all, &r[0]);
	MPI_Send(&w, 1, MPI_INT, (to + 1) % n, 3, all);
	MPI_Waitall(1, r, status);
	MPI_Comm_free(&all);
	MPI_Comm_disconnect(&inter);
	MPI_Finalize();
	return 0;
}
