/* Two ranks spawn one process of one command and two of another. Rank 0 sends each child a message and gets one of each. The
 * parents exchange one message each, the children send one each around a ring. The parents and the children call MPI_Barrier with each other,
 * the children one more among themselves. */
#include <mpi.h>
#include <stddef.h>
int main(int argc, char **argv)
{
	char *commands[2] = { argv[0], argv[0] }, *one[] = { "one", NULL }, *two[] = { "two", NULL }, **words[2] = { one, two };
	const int n[2] = { 1, 2 };
	MPI_Info info[2] = { MPI_INFO_NULL, MPI_INFO_NULL };
	MPI_Comm inter;
	int rank, v = 1, w;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_get_parent(&inter);
	if (inter == MPI_COMM_NULL) {
		MPI_Comm_spawn_multiple(2, commands, words, n, info, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
		MPI_Sendrecv(&v, 1, MPI_INT, 1 - rank, 1, &w, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (int i = 0; rank == 0 && i < 3; i++) {
			MPI_Send(&v, 1, MPI_INT, i, 5, inter);
			MPI_Recv(&w, 1, MPI_INT, MPI_ANY_SOURCE, 6, inter, MPI_STATUS_IGNORE);
		}
	} else {
		MPI_Recv(&w, 1, MPI_INT, 0, 5, inter, MPI_STATUS_IGNORE);
		MPI_Send(&v, 1, MPI_INT, 0, 6, inter);
		MPI_Sendrecv(&v, 1, MPI_INT, (rank + 1) % 3, 1, &w, 1, MPI_INT, (rank + 2) % 3, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Barrier(inter);
	MPI_Comm_disconnect(&inter);
	MPI_Finalize();
	return 0;
}
