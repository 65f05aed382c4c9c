/* capture_bench: what tracing adds to a call. One rank; scripts/bench-capture (make bench) runs it plain and under tvrun,
 * and subtracts.
 *
 * Shortest of many short rounds, so that neither other programs nor the growing of a buffer are in it. Targets (added):
 * an MPI call 25 ns with the TSC, 60 ns with clock_gettime; a function 28 and 60 ns. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { CALLS = 2000, ROUNDS = 100 };

static __attribute__((no_instrument_function)) double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static __attribute__((noinline)) void leaf(void)
{
	__asm__ volatile("");
}

static void keep_shortest(double *shortest, double took)
{
	if (took / CALLS < *shortest)
		*shortest = took / CALLS;
}

int main(int argc, char **argv)
{
	double leaves = 1e9, ranks = 1e9, sends = 1e9, receives = 1e9, from;
	char byte = 0;
	int rank;

	MPI_Init(&argc, &argv);
	for (int round = 0; round < ROUNDS; round++) {
		from = now();
		for (int i = 0; i < CALLS; i++)
			leaf();
		keep_shortest(&leaves, now() - from);
		from = now();
		for (int i = 0; i < CALLS; i++)
			MPI_Comm_rank(MPI_COMM_WORLD, &rank);
		keep_shortest(&ranks, now() - from);
		from = now();
		for (int i = 0; i < CALLS; i++)
			MPI_Send(&byte, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
		keep_shortest(&sends, now() - from);
		from = now();
		for (int i = 0; i < CALLS; i++)
			MPI_Recv(&byte, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		keep_shortest(&receives, now() - from);
	}
	printf("ns a call: function %.1f, MPI_Comm_rank %.1f, MPI_Send to nobody %.1f, MPI_Recv from nobody %.1f\n",
	       leaves, ranks, sends, receives);
	MPI_Finalize();
	return 0;
}
