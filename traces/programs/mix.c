/* mix: two tiny functions of different kinds: even ranks take roots, each of which waits for the one before it, odd ranks
 * mix integers. After each batch all meet.
 *
 * To see: what measuring costs depends on what is measured. A chain of roots hides the probes' work, integers do not, so
 * that measuring makes both ranks look alike: most of the waiting of odd ranks is gone from the trace.
 *
 *	mpiexec -n 2 mix [calls=2000] [batches=200]	(calls of a rank and batch) */
#include <math.h>

#include <tview.h>

#include "tally.h"

static volatile double sink;

static __attribute__((noinline)) double take_root(double x)
{
	TVIEW_FUNCTION(take_root);

	return sqrt(x + 1) + sqrt(x + 2);
}

static __attribute__((noinline)) unsigned long long stir(unsigned long long x)
{
	TVIEW_FUNCTION(stir);

	return (x ^ x >> 29) * 6364136223846793005ull + 1;
}

static __attribute__((noinline)) void roots(long calls)
{
	TVIEW_FUNCTION(roots);
	double x = 1;

	for (long i = 0; i < calls; i++)
		x = take_root(x);
	sink = x;
}

static __attribute__((noinline)) void integers(long calls)
{
	TVIEW_FUNCTION(integers);
	unsigned long long x = 1;

	for (long i = 0; i < calls; i++)
		x = stir(x);
	sink = (double)x;
}

int main(int argc, char **argv)
{
	const long calls = argc > 1 ? atol(argv[1]) : 2000;
	const int batches = argc > 2 ? atoi(argv[2]) : 200;
	double started, waits = 0;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	tally_begin(rank);
	started = tally_start();
	for (int batch = 0; batch < batches; batch++) {
		if (rank % 2 == 0)
			roots(calls);
		else
			integers(calls);
		waits -= MPI_Wtime();
		MPI_Barrier(MPI_COMM_WORLD);
		waits += MPI_Wtime();
		tally_collective("MPI_Barrier", -1, 0, 0);
	}
	tally_stop(started, rank);
	if (rank == 1)
		printf("rank 1 waits: %.9f s\n", waits);
	tally_did(rank % 2 == 0 ? "take_root" : "stir", calls * batches);
	tally_end("mix", rank);
	MPI_Finalize();
	return 0;
}
