/* Messages of requests, and the ways to complete them. */
#include "inject.h"

#include <time.h>

#define WORLD MPI_COMM_WORLD
#define TO    inject.to, NUMBERS, MPI_INT
#define FROM  inject.from, NUMBERS, MPI_INT

static void send(void)
{
	if (inject.rank == LATE)
		MPI_Send(TO, 0, 7, WORLD);
}

#define COMPLETED(name, call)                                      \
	static void name(void)                                     \
	{                                                          \
		MPI_Request request;                               \
		int index, n;                                      \
		(void)index, (void)n;                              \
		inject_begin();                                    \
		send();                                            \
		if (inject.rank == 0) {                            \
			MPI_Irecv(FROM, LATE, 7, WORLD, &request); \
			inject_waits();                            \
			call;                                      \
		}                                                  \
		inject_end();                                      \
	}

COMPLETED(wait, MPI_Wait(&request, MPI_STATUS_IGNORE))
COMPLETED(waitany, MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE))
COMPLETED(waitall, MPI_Waitall(1, &request, inject.status))
COMPLETED(waitsome, MPI_Waitsome(1, &request, &n, &index, inject.status))

/* The late rank receives. */
#define LATE_RECEIVER(name, start, n)                                                      \
	static void name(void)                                                             \
	{                                                                                  \
		MPI_Request request;                                                       \
		inject_begin();                                                            \
		if (inject.rank == LATE)                                                   \
			MPI_Recv(inject.from, n, MPI_INT, 0, 7, WORLD, MPI_STATUS_IGNORE); \
		if (inject.rank == 0) {                                                    \
			start(inject.to, n, MPI_INT, LATE, 7, WORLD, &request);            \
			inject_complete(&request);                                         \
		}                                                                          \
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

/* The late rank receives what a persistent request sends. */
#define LATE_PERSISTENT(name, init, n)                                                     \
	static void name(void)                                                             \
	{                                                                                  \
		MPI_Request request = MPI_REQUEST_NULL;                                    \
		if (inject.rank == 0)                                                      \
			init(inject.to, n, MPI_INT, LATE, 7, WORLD, &request);             \
		inject_begin();                                                            \
		if (inject.rank == LATE)                                                   \
			MPI_Recv(inject.from, n, MPI_INT, 0, 7, WORLD, MPI_STATUS_IGNORE); \
		if (inject.rank == 0)                                                      \
			MPI_Start(&request);                                               \
		inject_complete(&request);                                                 \
		free_request(&request);                                                    \
	}
LATE_PERSISTENT(ssend_init, MPI_Ssend_init, NUMBERS)
LATE_PERSISTENT(send_init, MPI_Send_init, LARGE)

static void look_elsewhere(void)
{
	const struct timespec pause = { .tv_nsec = 100000 };

	nanosleep(&pause, NULL);
}

/* Ways to complete a request that `makes` has made ready, `goes` has begun, and the late rank
 * answers by `sends`. */
#define COMPLETES(name, makes, goes, sends, call)                    \
	static void name(void)                                       \
	{                                                            \
		MPI_Request request = MPI_REQUEST_NULL;              \
		int index = 0, n = 0, flag = 0;                      \
		(void)index, (void)n, (void)flag;                    \
		makes;                                               \
		if (request != MPI_REQUEST_NULL)                     \
			goes;                                        \
		inject_begin();                                      \
		sends;                                               \
		inject_waits();                                      \
		if (inject.rank == 0) {                              \
			call;                                        \
		}                                                    \
		inject_end();                                        \
		if (inject.rank != 0 && request != MPI_REQUEST_NULL) \
			MPI_Wait(&request, MPI_STATUS_IGNORE);       \
		free_request(&request);                              \
	}
#define POLLS(test)                           \
	for (; test, !flag; look_elsewhere()) \
		continue
#define WAYS(name, makes, goes, sends)                                                         \
	COMPLETES(name##_waitany, makes, goes, sends,                                          \
		  MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE))                         \
	COMPLETES(name##_waitsome, makes, goes, sends,                                         \
		  MPI_Waitsome(1, &request, &n, &index, inject.status))                        \
	COMPLETES(name##_waitall, makes, goes, sends, MPI_Waitall(1, &request, inject.status)) \
	COMPLETES(name##_test, makes, goes, sends,                                             \
		  POLLS(MPI_Test(&request, &flag, MPI_STATUS_IGNORE)))                         \
	COMPLETES(name##_testany, makes, goes, sends,                                          \
		  POLLS(MPI_Testany(1, &request, &index, &flag, MPI_STATUS_IGNORE)))           \
	COMPLETES(name##_testall, makes, goes, sends,                                          \
		  POLLS(MPI_Testall(1, &request, &flag, inject.status)))                       \
	COMPLETES(name##_testsome, makes, goes, sends,                                         \
		  POLLS(MPI_Testsome(1, &request, &flag, &index, inject.status)))
#define WAY_ROWS(Name, name)                                            \
	{ Name "/Waitany", name##_waitany, FIRST, "mpi_latesender" },   \
	{ Name "/Waitsome", name##_waitsome, FIRST, "mpi_latesender" }, \
	{ Name "/Waitall", name##_waitall, FIRST, "mpi_latesender" },   \
	{ Name "/Test", name##_test, FIRST, "mpi_polling" },            \
	{ Name "/Testany", name##_testany, FIRST, "mpi_polling" },      \
	{ Name "/Testall", name##_testall, FIRST, "mpi_polling" },      \
	{ Name "/Testsome", name##_testsome, FIRST, "mpi_polling" },

static void make_persistent(MPI_Request *request)
{
	if (inject.rank == 0)
		MPI_Recv_init(FROM, LATE, 7, WORLD, request);
}
WAYS(persistent, make_persistent(&request), MPI_Start(&request), send())

#if MPI_VERSION >= 4
static void make_partitioned(MPI_Request *request)
{
	if (inject.rank == LATE)
		MPI_Psend_init(inject.to, 2, NUMBERS, MPI_INT, 0, 7, WORLD, MPI_INFO_NULL, request);
	if (inject.rank == 0)
		MPI_Precv_init(inject.from, 2, NUMBERS, MPI_INT, LATE, 7, WORLD, MPI_INFO_NULL,
			       request);
}

static void send_partitions(MPI_Request request)
{
	if (inject.rank == LATE)
		MPI_Pready_range(0, 1, request);
}
WAYS(parts, make_partitioned(&request), MPI_Start(&request), send_partitions(request))
COMPLETES(parrived, make_partitioned(&request), MPI_Start(&request), send_partitions(request),
	  POLLS(MPI_Parrived(request, 1, &flag));
	  MPI_Wait(&request, MPI_STATUS_IGNORE))

#define LARGE_REQUEST(name, late, other)                \
	static void name(void)                          \
	{                                               \
		MPI_Request request = MPI_REQUEST_NULL; \
		inject_begin();                         \
		if (inject.rank == LATE)                \
			late;                           \
		if (inject.rank == 0) {                 \
			other;                          \
		}                                       \
		inject_complete(&request);              \
		free_request(&request);                 \
	}
LARGE_REQUEST(issend_c, MPI_Recv_c(FROM, 0, 7, WORLD, MPI_STATUS_IGNORE),
	      MPI_Issend_c(TO, LATE, 7, WORLD, &request))
LARGE_REQUEST(recv_init_c, MPI_Send_c(TO, 0, 7, WORLD),
	      MPI_Recv_init_c(FROM, LATE, 7, WORLD, &request);
	      MPI_Start(&request))
LARGE_REQUEST(ssend_init_c, MPI_Recv_c(FROM, 0, 7, WORLD, MPI_STATUS_IGNORE),
	      MPI_Ssend_init_c(TO, LATE, 7, WORLD, &request);
	      MPI_Start(&request))
LARGE_REQUEST(isendrecv_c, MPI_Isendrecv_c(TO, 0, 7, FROM, 0, 7, WORLD, &request),
	      MPI_Isendrecv_c(TO, LATE, 7, FROM, LATE, 7, WORLD, &request))

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
	{ "MPI_Ssend_init/Start", ssend_init, FIRST, "mpi_latereceiver" },
	{ "MPI_Send_init/Start-large", send_init, FIRST, "mpi_latereceiver" },
	WAY_ROWS("MPI_Recv_init", persistent)
#if MPI_VERSION >= 4
	/* MPI_Testall of MPICH 4.0.2 fails where one is not complete, without tvrun, too. */
	WAY_ROWS("MPI_Precv_init", parts)
	{ "MPI_Parrived", parrived, FIRST, "mpi_polling" },
	{ "MPI_Issend_c/Wait", issend_c, FIRST, "mpi_latereceiver" },
	{ "MPI_Recv_init_c/Start", recv_init_c, FIRST, "mpi_latesender" },
	{ "MPI_Ssend_init_c/Start", ssend_init_c, FIRST, "mpi_latereceiver" },
	{ "MPI_Isendrecv_c/Wait", isendrecv_c, FIRST, "mpi_latesender" },
	{ "MPI_Irecv_c/Wait", irecv_c, FIRST, "mpi_latesender" },
	{ "MPI_Isendrecv/Wait", isendrecv, FIRST, "mpi_latesender" },
	{ "MPI_Isendrecv_replace/Wait", isendrecv_replace, FIRST, "mpi_latesender" },
	{ "MPI_Precv_init/Pready", partitioned, FIRST, "mpi_latesender" },
#endif
	{ 0 },
};
