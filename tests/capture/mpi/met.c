/* Two halves of four ranks meet at a port: ranks 0 and 1 send 4 messages each to 2 and 3, which receive them from any source and
 * send one back. Rank 0 sends rank 2 the name of the port. */
#include <mpi.h>
int main(int argc, char **argv)
{
	char port[MPI_MAX_PORT_NAME] = "";
	MPI_Comm half, inter;
	MPI_Request r;
	int rank, v = 0, server;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	server = rank < 2;
	MPI_Comm_split(MPI_COMM_WORLD, server, rank, &half);
	if (rank == 0) {
		MPI_Open_port(MPI_INFO_NULL, port);
		MPI_Send(port, sizeof port, MPI_CHAR, 2, 99, MPI_COMM_WORLD);
	} else if (rank == 2) {
		MPI_Recv(port, sizeof port, MPI_CHAR, 0, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	if (server)
		MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &inter);
	else
		MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter);
	for (int i = 0; i < 4; i++)
		if (server)
			MPI_Send(&i, 1, MPI_INT, rank, 5, inter);
		else
			MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 5, inter, MPI_STATUS_IGNORE);
	if (server)
		MPI_Irecv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 6, inter, &r);
	else
		MPI_Isend(&v, 1, MPI_INT, rank - 2, 6, inter, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Barrier(inter);
	MPI_Comm_disconnect(&inter);
	MPI_Comm_free(&half);
	MPI_Finalize();
	return 0;
}
