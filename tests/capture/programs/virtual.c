/* What recording costs one rank, and what becomes of it in another one: for --virtual-time with a
 * --probe-delay. Rank 0 and 1 of two; functions have probes. */
#include <mpi.h>
#include <time.h>

#define PLAIN   __attribute__((no_instrument_function))
#define IGNORED MPI_STATUS_IGNORE

enum { VISITS = 20, LARGE = 1 << 20 };

static char data[LARGE];

/* Two records: they take the time that is asked for, as often as that. */
static void __attribute__((noinline)) probed(void)
{
	__asm__ volatile("");
}

PLAIN static void slowed(void)
{
	for (int i = 0; i < VISITS; i++)
		probed();
}

/* Later than the other rank, whatever that does. */
PLAIN static void late(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 400000000 }, NULL);
}

PLAIN int main(int argc, char **argv)
{
	MPI_Request request;
	int rank, seen;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	/* The wait swallows what the receiver's probes cost. */
	if (rank == 0) {
		late();
		MPI_Send(data, 8, MPI_CHAR, 1, 1, MPI_COMM_WORLD); // swallowed
	} else {
		slowed();
		MPI_Recv(data, 8, MPI_CHAR, 0, 1, MPI_COMM_WORLD, IGNORED); // swallowed
	}
	/* What the sender's probes cost goes on to the receiver. */
	if (rank == 0) {
		slowed();
		late();
		MPI_Send(data, 8, MPI_CHAR, 1, 2, MPI_COMM_WORLD); // carried
	} else {
		MPI_Irecv(data, 8, MPI_CHAR, 0, 2, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, IGNORED); // carried
	}
	/* To all. */
	if (rank == 0) {
		slowed();
		late();
	}
	MPI_Barrier(MPI_COMM_WORLD); // all
	/* To the one that waits until its message is received. */
	if (rank == 0) {
		MPI_Ssend(data, LARGE, MPI_CHAR, 1, 3, MPI_COMM_WORLD); // back
	} else {
		slowed();
		late();
		MPI_Recv(data, LARGE, MPI_CHAR, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, IGNORED); // back
	}
	/* From the root. */
	if (rank == 0) {
		slowed();
		late();
	}
	MPI_Bcast(data, 8, MPI_CHAR, 0, MPI_COMM_WORLD); // root
	/* A loop of tests is one wait. */
	if (rank == 0) {
		late();
		MPI_Send(data, 8, MPI_CHAR, 1, 4, MPI_COMM_WORLD); // polled
	} else {
		slowed();
		MPI_Irecv(data, 8, MPI_CHAR, 0, 4, MPI_COMM_WORLD, &request);
		do
			MPI_Test(&request, &seen, IGNORED); // polled
		while (!seen);
	}
	MPI_Finalize();
	return 0;
}
