/* Messages of requests, and the ways to complete them. */
#include "inject.h"

#include <stdlib.h>

#define WORLD MPI_COMM_WORLD
#define TO    inject.to, NUMBERS, MPI_INT
#define FROM  inject.from, NUMBERS, MPI_INT

static void send(void)
{
	if (inject.rank == LATE)
		MPI_Send(TO, 0, 7, WORLD);
}

#define COMPLETED(name, call)                                          \
	static void name(void)                                         \
	{                                                              \
		MPI_Request request;                                   \
		int index, n;                                          \
		(void)index, (void)n;                                  \
		inject_begin();                                        \
		send();                                                \
		if (inject.rank == 0) {                                \
			MPI_Irecv(FROM, LATE, 7, WORLD, &request);     \
			inject_waits();                                \
			call;                                          \
		}                                                      \
		inject_end();                                          \
	}

COMPLETED(wait, MPI_Wait(&request, MPI_STATUS_IGNORE))
COMPLETED(waitany, MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE))
COMPLETED(waitall, MPI_Waitall(1, &request, inject.status))
COMPLETED(waitsome, MPI_Waitsome(1, &request, &n, &index, inject.status))

/* The late rank receives. */
#define LATE_RECEIVER(name, start, n)                                              \
	static void name(void)                                                     \
	{                                                                          \
		MPI_Request request;                                               \
		inject_begin();                                                    \
		if (inject.rank == LATE)                                           \
			MPI_Recv(inject.from, n, MPI_INT, 0, 7, WORLD,             \
				 MPI_STATUS_IGNORE);                               \
		if (inject.rank == 0) {                                            \
			start(inject.to, n, MPI_INT, LATE, 7, WORLD, &request);    \
			inject_complete(&request);                                 \
		}                                                                  \
	}
LATE_RECEIVER(issend, MPI_Issend, NUMBERS)
LATE_RECEIVER(isend, MPI_Isend, LARGE)

static void free_request(MPI_Request *request)
{
	if (*request != MPI_REQUEST_NULL)
		MPI_Request_free(request);
}

static void persistent(void)
{
	MPI_Request request = MPI_REQUEST_NULL;

	if (inject.rank == LATE)
		MPI_Send_init(TO, 0, 7, WORLD, &request);
	if (inject.rank == 0)
		MPI_Recv_init(FROM, LATE, 7, WORLD, &request);
	inject_begin();
	if (request != MPI_REQUEST_NULL)
		MPI_Start(&request);
	inject_complete(&request);
	free_request(&request);
}

static void persistent_all(void)
{
	MPI_Request request = MPI_REQUEST_NULL;

	if (inject.rank == LATE)
		MPI_Ssend_init(TO, 0, 7, WORLD, &request);
	if (inject.rank == 0)
		MPI_Recv_init(FROM, LATE, 7, WORLD, &request);
	inject_begin();
	if (request != MPI_REQUEST_NULL)
		MPI_Startall(1, &request);
	inject_waits();
	MPI_Waitall(1, &request, inject.status);
	inject_end();
	free_request(&request);
}

#if MPI_VERSION >= 4
static void irecv_c(void)
{
	MPI_Request request = MPI_REQUEST_NULL;

	inject_begin();
	if (inject.rank == LATE)
		MPI_Isend_c(TO, 0, 7, WORLD, &request);
	if (inject.rank == 0)
		MPI_Irecv_c(FROM, LATE, 7, WORLD, &request);
	inject_complete(&request);
}

static void isendrecv(void)
{
	const int other = 1 - inject.rank;
	MPI_Request request = MPI_REQUEST_NULL;

	inject_begin();
	if (inject.rank < 2)
		MPI_Isendrecv(TO, other, 7, FROM, other, 7, WORLD, &request);
	inject_complete(&request);
}

static void isendrecv_replace(void)
{
	const int other = 1 - inject.rank;
	MPI_Request request = MPI_REQUEST_NULL;

	inject_begin();
	if (inject.rank < 2)
		MPI_Isendrecv_replace(TO, other, 7, other, 7, WORLD, &request);
	inject_complete(&request);
}

static void partitioned(void)
{
	MPI_Request request = MPI_REQUEST_NULL;

	if (inject.rank == LATE)
		MPI_Psend_init(inject.to, 2, NUMBERS, MPI_INT, 0, 7, WORLD, MPI_INFO_NULL,
			       &request);
	if (inject.rank == 0)
		MPI_Precv_init(inject.from, 2, NUMBERS, MPI_INT, LATE, 7, WORLD, MPI_INFO_NULL,
			       &request);
	if (request != MPI_REQUEST_NULL)
		MPI_Start(&request);
	inject_begin();
	for (int i = 0; inject.rank == LATE && i < 2; i++)
		MPI_Pready(i, request);
	inject_complete(&request);
	free_request(&request);
}
#endif

const struct inject_row inject_requests[] = {
	{ "MPI_Irecv/Wait", wait, FIRST, "mpi_latesender" },
	{ "MPI_Irecv/Waitany", waitany, FIRST, "mpi_latesender" },
	{ "MPI_Irecv/Waitall", waitall, FIRST, "mpi_latesender" },
	{ "MPI_Irecv/Waitsome", waitsome, FIRST, "mpi_latesender" },
	{ "MPI_Issend/Wait", issend, FIRST, "mpi_latereceiver" },
	{ "MPI_Isend/Wait-large", isend, FIRST, "mpi_latereceiver" },
	{ "MPI_Recv_init/Start", persistent, FIRST, "mpi_latesender" },
	{ "MPI_Recv_init/Startall", persistent_all, FIRST, "mpi_latesender" },
#if MPI_VERSION >= 4
	{ "MPI_Irecv_c/Wait", irecv_c, FIRST, "mpi_latesender" },
	{ "MPI_Isendrecv/Wait", isendrecv, FIRST, "mpi_latesender" },
	{ "MPI_Isendrecv_replace/Wait", isendrecv_replace, FIRST, "mpi_latesender" },
	{ "MPI_Precv_init/Pready", partitioned, FIRST, "mpi_latesender" },
#endif
	{ 0 },
};
