/* Messages that a rank looks for before it receives them, and requests that it tests again and
 * again. */
#include "inject.h"

#include <time.h>

#define WORLD MPI_COMM_WORLD
#define FROM  inject.from, NUMBERS, MPI_INT

/* What a rank does while it polls; it has no region. */
static void elsewhere(void)
{
	const struct timespec pause = { .tv_nsec = 100000 };

	nanosleep(&pause, NULL);
}

static void send(void)
{
	MPI_Send(inject.to, NUMBERS, MPI_INT, 0, 7, WORLD);
}

/* `looks` ends when there is a message, `receives` takes it. */
#define PROBE(name, looks, receives)         \
	static void name(void)               \
	{                                    \
		MPI_Message message;         \
		int flag = 0;                \
		(void)message, (void)flag;   \
		inject_begin();              \
		if (inject.rank == LATE)     \
			send();              \
		if (inject.rank == 0) {      \
			looks;               \
			inject_end();        \
			receives;            \
		}                            \
	}
#define TAKE       MPI_Recv(FROM, LATE, 7, WORLD, MPI_STATUS_IGNORE)
#define TAKE_MATCH MPI_Mrecv(FROM, &message, MPI_STATUS_IGNORE)

/* Matched, and taken by a request. */
static void take_later(MPI_Message *message)
{
	MPI_Request request;

	MPI_Imrecv(FROM, message, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

PROBE(probe, MPI_Probe(LATE, 7, WORLD, MPI_STATUS_IGNORE), TAKE)
PROBE(probe_any, MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, MPI_STATUS_IGNORE), TAKE)
PROBE(mprobe, MPI_Mprobe(LATE, 7, WORLD, &message, MPI_STATUS_IGNORE), TAKE_MATCH)
PROBE(mprobe_later, MPI_Mprobe(LATE, 7, WORLD, &message, MPI_STATUS_IGNORE), take_later(&message))
PROBE(iprobe,
      for (; MPI_Iprobe(LATE, 7, WORLD, &flag, MPI_STATUS_IGNORE), !flag; elsewhere())
	      continue,
      TAKE)
PROBE(improbe,
      for (; MPI_Improbe(LATE, 7, WORLD, &flag, &message, MPI_STATUS_IGNORE), !flag; elsewhere())
	      continue,
      TAKE_MATCH)

#define TESTS(name, test)                                                          \
	static void name(void)                                                     \
	{                                                                          \
		MPI_Request request = MPI_REQUEST_NULL;                            \
		int flag = 0, index = 0;                                           \
		(void)index;                                                       \
		if (inject.rank == 0)                                              \
			MPI_Irecv(FROM, LATE, 7, WORLD, &request);                 \
		inject_begin();                                                    \
		if (inject.rank == LATE)                                           \
			send();                                                    \
		for (; inject.rank == 0 && (test, !flag); elsewhere())             \
			continue;                                                  \
		inject_end();                                                      \
	}

TESTS(test, MPI_Test(&request, &flag, MPI_STATUS_IGNORE))
TESTS(testany, MPI_Testany(1, &request, &index, &flag, MPI_STATUS_IGNORE))
TESTS(testall, MPI_Testall(1, &request, &flag, inject.status))
TESTS(testsome, MPI_Testsome(1, &request, &flag, &index, inject.status))

const struct inject_row inject_probes[] = {
	{ "MPI_Probe", probe, FIRST, "mpi_probe_wait" },
	{ "MPI_Probe/any-source", probe_any, FIRST, "mpi_probe_wait" },
	{ "MPI_Mprobe/Mrecv", mprobe, FIRST, "mpi_probe_wait" },
	{ "MPI_Mprobe/Imrecv", mprobe_later, FIRST, "mpi_probe_wait" },
	{ "MPI_Iprobe", iprobe, FIRST, "mpi_polling" },
	{ "MPI_Improbe", improbe, FIRST, "mpi_polling" },
	{ "MPI_Test", test, FIRST, "mpi_polling" },
	{ "MPI_Testany", testany, FIRST, "mpi_polling" },
	{ "MPI_Testall", testall, FIRST, "mpi_polling" },
	{ "MPI_Testsome", testsome, FIRST, "mpi_polling" },
	{ 0 },
};
