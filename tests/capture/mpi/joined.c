/* Two ranks make two communicators by MPI_Comm_join, and two by MPI_Comm_accept and MPI_Comm_connect. On each pair they exchange
 * messages without blocking, rank 0 on the second one first: on the first one of a pair each sends 10 integers, on the
 * second one 20. All have one tag. Each rank sends the port's number or name before: 2 messages from rank 0 to 1. */
#include <arpa/inet.h>
#include <mpi.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
static int rank;
static int v[20], w[2][20];
static void exchange(MPI_Comm *one)
{
	MPI_Request r[4];
	MPI_Status done[4];
	for (int i = 0; i < 2; i++) {
		const int at = i ^ !rank;
		MPI_Irecv(w[at], 10 * (at + 1), MPI_INT, 0, 5, one[at], &r[2 * i]);
		MPI_Isend(v, 10 * (at + 1), MPI_INT, 0, 5, one[at], &r[2 * i + 1]);
	}
	MPI_Waitall(4, r, done);
	for (int i = 0; i < 2; i++)
		MPI_Comm_disconnect(&one[i]);
}
static void join(MPI_Comm *one)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	socklen_t size = sizeof to;
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (!rank) {
		const int listening = fd;
		bind(listening, (struct sockaddr *)&to, sizeof to);
		listen(listening, 1);
		getsockname(listening, (struct sockaddr *)&to, &size);
		MPI_Send(&to.sin_port, sizeof to.sin_port, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
		fd = accept(listening, NULL, NULL);
		close(listening);
	} else {
		MPI_Recv(&to.sin_port, sizeof to.sin_port, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		connect(fd, (struct sockaddr *)&to, sizeof to);
	}
	for (int i = 0; i < 2; i++)
		MPI_Comm_join(fd, &one[i]);
	close(fd);
}
static void meet(MPI_Comm *one)
{
	char port[MPI_MAX_PORT_NAME];
	if (!rank) {
		MPI_Open_port(MPI_INFO_NULL, port);
		MPI_Send(port, sizeof port, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
	} else {
		MPI_Recv(port, sizeof port, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	for (int i = 0; i < 2; i++)
		if (rank)
			MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &one[i]);
		else
			MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &one[i]);
	if (!rank)
		MPI_Close_port(port);
}
int main(int argc, char **argv)
{
	MPI_Comm one[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	join(one);
	exchange(one);
	meet(one);
	exchange(one);
	MPI_Finalize();
	return 0;
}
