/* pi: Monte-Carlo pi with one master that collects and workers that throw darts.
 *
 * To see: the workers call the tiny get_coords() once a dart, so the trace is nearly all of it, and measuring it costs as
 * much as it does: the measurement's overhead. The master only waits, in MPI_Recv from whoever comes first.
 *
 *	mpiexec -n 4 pi [darts=20000] [batches=4] [yield=0]	(darts of a worker and batch; 1: the master gives its core
 *								to others while it waits) */
#include <math.h>
#include <sched.h>

#include <tview.h>

#include "tally.h"

enum { TAG_HITS = 3 };

static unsigned short seed[3];

static __attribute__((noinline)) void get_coords(double *x, double *y)
{
	TVIEW_FUNCTION(get_coords);

	*x = erand48(seed);
	*y = erand48(seed);
}

static __attribute__((noinline)) long throw_darts(long darts)
{
	TVIEW_FUNCTION(throw_darts);
	long hits = 0;
	double x, y;

	for (long i = 0; i < darts; i++) {
		get_coords(&x, &y);
		hits += x * x + y * y < 1;
	}
	return hits;
}

static void worker(int rank, long darts, int batches)
{
	TVIEW_FUNCTION(worker);

	seed[0] = (unsigned short)rank;
	for (int batch = 0; batch < batches; batch++) {
		long hits = throw_darts(darts);
		MPI_Send(&hits, 1, MPI_LONG, 0, TAG_HITS, MPI_COMM_WORLD);
		tally_sent(0, TAG_HITS, (long)sizeof hits);
	}
	tally_did("get_coords", darts * batches);
}

/* In no trace: the probe is not what is to be seen. */
static __attribute__((no_instrument_function)) void wait_politely(void)
{
	int there = 0;

	while (PMPI_Iprobe(MPI_ANY_SOURCE, TAG_HITS, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE) ==
		       MPI_SUCCESS &&
	       !there)
		sched_yield();
}

static void master(int workers, long darts, int batches, int yield)
{
	TVIEW_FUNCTION(master);
	const double all = (double)darts * batches * workers;
	long sum = 0, hits;
	MPI_Status status;

	for (int i = 0; i < workers * batches; i++) {
		if (yield)
			wait_politely();
		MPI_Recv(&hits, 1, MPI_LONG, MPI_ANY_SOURCE, TAG_HITS, MPI_COMM_WORLD, &status);
		tally_received(status.MPI_SOURCE, TAG_HITS, (long)sizeof hits);
		sum += hits;
	}
	printf("pi is about %.4f (off by %.4f)\n", 4 * (double)sum / all,
	       fabs(4 * (double)sum / all - acos(-1)));
}

int main(int argc, char **argv)
{
	const long darts = argc > 1 ? atol(argv[1]) : 20000;
	const int batches = argc > 2 ? atoi(argv[2]) : 4;
	const int yield = argc > 3 ? atoi(argv[3]) : 0;
	double started;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	tally_begin(rank);
	started = tally_start();
	if (rank == 0 && size > 1)
		master(size - 1, darts, batches, yield);
	else if (rank > 0)
		worker(rank, darts, batches);
	tally_stop(started, rank);
	tally_end("pi", rank);
	MPI_Finalize();
	return 0;
}
