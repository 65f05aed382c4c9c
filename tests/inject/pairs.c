/* Blocking messages, and the ways to send and to receive them. */
#include "inject.h"

#define PAIR(name, late, other)          \
	static void name(void)           \
	{                                \
		inject_begin();          \
		if (inject.rank == LATE) \
			late;            \
		if (inject.rank == 0)    \
			other;           \
		inject_end();            \
	}

#define TO(rank)   inject.to, NUMBERS, MPI_INT, rank, 7
#define FROM(rank) inject.from, NUMBERS, MPI_INT, rank, 7
#define MUCH_TO    inject.to, LARGE, MPI_INT, LATE, 7
#define MUCH_FROM  inject.from, LARGE, MPI_INT, 0, 7
#define WORLD      MPI_COMM_WORLD
#define RECEIVE    MPI_Recv(FROM(LATE), WORLD, MPI_STATUS_IGNORE)

static void buffered(void)
{
	static char room[1 << 12];
	char *was;
	int size;

	MPI_Buffer_attach(room, sizeof room);
	MPI_Bsend(TO(0), WORLD);
	MPI_Buffer_detach(&was, &size);
}

static void requested(int synchronous)
{
	MPI_Request request;

	if (synchronous)
		MPI_Issend(TO(0), WORLD, &request);
	else
		MPI_Isend(TO(0), WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

PAIR(send, MPI_Send(TO(0), WORLD), RECEIVE)
PAIR(ssend, MPI_Ssend(TO(0), WORLD), RECEIVE)
PAIR(bsend, buffered(), RECEIVE)
PAIR(isend, requested(0), RECEIVE)
PAIR(issend, requested(1), RECEIVE)
PAIR(any_source, MPI_Send(TO(0), WORLD),
     MPI_Recv(FROM(MPI_ANY_SOURCE), WORLD, MPI_STATUS_IGNORE))
PAIR(sendrecv, MPI_Sendrecv(TO(0), FROM(0), WORLD, MPI_STATUS_IGNORE),
     MPI_Sendrecv(TO(LATE), FROM(LATE), WORLD, MPI_STATUS_IGNORE))
PAIR(replace,
     MPI_Sendrecv_replace(inject.to, NUMBERS, MPI_INT, 0, 7, 0, 7, WORLD, MPI_STATUS_IGNORE),
     MPI_Sendrecv_replace(inject.to, NUMBERS, MPI_INT, LATE, 7, LATE, 7, WORLD, MPI_STATUS_IGNORE))
PAIR(late_ssend, MPI_Recv(FROM(0), WORLD, MPI_STATUS_IGNORE), MPI_Ssend(TO(LATE), WORLD))
PAIR(late_much, MPI_Recv(MUCH_FROM, WORLD, MPI_STATUS_IGNORE), MPI_Send(MUCH_TO, WORLD))
#if MPI_VERSION >= 4
PAIR(recv_c, MPI_Send_c(TO(0), WORLD), MPI_Recv_c(FROM(LATE), WORLD, MPI_STATUS_IGNORE))
PAIR(sendrecv_c, MPI_Sendrecv_c(TO(0), FROM(0), WORLD, MPI_STATUS_IGNORE),
     MPI_Sendrecv_c(TO(LATE), FROM(LATE), WORLD, MPI_STATUS_IGNORE))
PAIR(ssend_c, MPI_Recv_c(FROM(0), WORLD, MPI_STATUS_IGNORE), MPI_Ssend_c(TO(LATE), WORLD))
#endif

const struct inject_row inject_pairs[] = {
	{ "MPI_Recv/Send", send, FIRST, "mpi_latesender" },
	{ "MPI_Recv/Ssend", ssend, FIRST, "mpi_latesender" },
	{ "MPI_Recv/Bsend", bsend, FIRST, "mpi_latesender" },
	{ "MPI_Recv/Isend", isend, FIRST, "mpi_latesender" },
	{ "MPI_Recv/Issend", issend, FIRST, "mpi_latesender" },
	{ "MPI_Recv/any-source", any_source, FIRST, "mpi_latesender" },
	{ "MPI_Sendrecv", sendrecv, FIRST, "mpi_latesender" },
	{ "MPI_Sendrecv_replace", replace, FIRST, "mpi_latesender" },
	{ "MPI_Ssend", late_ssend, FIRST, "mpi_latereceiver" },
	{ "MPI_Send/large", late_much, FIRST, "mpi_latereceiver" },
#if MPI_VERSION >= 4
	{ "MPI_Recv_c", recv_c, FIRST, "mpi_latesender" },
	{ "MPI_Sendrecv_c", sendrecv_c, FIRST, "mpi_latesender" },
	{ "MPI_Ssend_c", ssend_c, FIRST, "mpi_latereceiver" },
#endif
	{ 0 },
};
