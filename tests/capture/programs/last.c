/* last: messages that tell their number, for runs that keep only the last records.
 *
 *	last ROUNDS KIND	each rank sends to the next one, 6 messages a round of each of 3 tags
 *				and 2 communicators; message I of one of these has I % 1000 + 1 bytes.
 *				Rank 0 visits step() 3,000 times a round, the others 500 times. A round
 *				ends with MPI_Allreduce of ROUND % 1000 + 1 bytes.
 * KIND: end, the ranks come to their end; late, they sleep for 3 s before the last round; kill,
 * rank 1 kills itself before the last MPI_Allreduce; hang, it sleeps there for good, while rank 0
 * waits for it in MPI_Ssend. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAGS = 3, COMMS = 2, AHEAD = 6 };

static long sum;
static char out[1024], in[AHEAD * TAGS * COMMS][1024], all[1024];

__attribute__((noinline)) static void step(long i)
{
	sum += i;
}

/* AHEAD messages of each kind, sent before any is received; receives complete in any order. */
__attribute__((noinline)) static void exchange(MPI_Comm *comms, int rank, int size, long round)
{
	MPI_Request requests[AHEAD * TAGS * COMMS];
	int n = 0;

	for (int c = 0; c < COMMS; c++)
		for (int tag = 0; tag < TAGS; tag++)
			for (long i = 0; i < AHEAD; i++, n++)
				MPI_Irecv(in[n], sizeof in[n], MPI_CHAR, (rank + size - 1) % size,
					  tag, comms[c], &requests[n]);
	for (int c = 0; c < COMMS; c++)
		for (int tag = 0; tag < TAGS; tag++)
			for (long i = 0; i < AHEAD; i++)
				MPI_Send(out, (int)((round * AHEAD + i) % 1000 + 1), MPI_CHAR,
					 (rank + 1) % size, tag, comms[c]);
	MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

static void end(const char *kind, int rank)
{
	if (strcmp(kind, "late") == 0)
		sleep(3);
	if (strcmp(kind, "kill") == 0 && rank == 1)
		raise(SIGKILL);
	if (strcmp(kind, "hang") != 0)
		return;
	if (rank == 1)
		while (sleep(1000) == 0)
			;
	if (rank == 0 && write(2, "ready\n", 6) == 6)
		MPI_Ssend(out, 1, MPI_CHAR, 1, 77, MPI_COMM_WORLD);
}

__attribute__((noinline)) static void work(const char *kind, long rounds, int rank, int size)
{
	MPI_Comm comms[COMMS] = { MPI_COMM_WORLD };

	MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
	for (long round = 0; round < rounds; round++) {
		if (round == rounds - 1 && strcmp(kind, "late") == 0)
			end(kind, rank);
		for (long i = 0; i < (rank ? 500 : 3000); i++)
			step(i);
		exchange(comms, rank, size, round);
		if (round == rounds - 1 && strcmp(kind, "late") != 0)
			end(kind, rank);
		MPI_Allreduce(out, all, (int)(round % 1000 + 1), MPI_CHAR, MPI_MAX,
			      comms[round % 2]);
	}
	MPI_Comm_free(&comms[1]);
}

int main(int argc, char **argv)
{
	int rank, size;

	if (argc < 3)
		return 2;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	work(argv[2], atol(argv[1]), rank, size);
	MPI_Finalize();
	return 0;
}
