/* late: a 1-D stencil on a ring of ranks that asks for its neighbours' borders after it has done its own part.
 *
 * To see: late receivers. Borders leave first, then every rank relaxes its inner points, and when it asks for the others'
 * borders they have long been there: nobody waits, if all have the same to do. update() is called for every point.
 *
 *	mpiexec -n 2 late [points=400] [steps=200] [more=0]	(more: points that rank 0 has beyond the others) */
#include <math.h>

#include <tview.h>

#include "tally.h"

enum { TAG_UP = 1, TAG_DOWN = 2 };

static __attribute__((noinline)) double update(const double *at)
{
	TVIEW_FUNCTION(update);

	return at[0] + 0.25 * (at[-1] - 2 * at[0] + at[1]);
}

static __attribute__((noinline)) void relax(const double *now, double *next, int points)
{
	TVIEW_FUNCTION(relax);

	for (int i = 1; i <= points; i++)
		next[i] = update(now + i);
}

static void send(double value, int to, int tag, MPI_Request *request)
{
	static double out[2];

	out[tag == TAG_UP] = value;
	MPI_Isend(&out[tag == TAG_UP], 1, MPI_DOUBLE, to, tag, MPI_COMM_WORLD, request);
	tally_sent(to, tag, (long)sizeof value);
}

static void receive(double *value, int from, int tag)
{
	MPI_Recv(value, 1, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	tally_received(from, tag, (long)sizeof *value);
}

int main(int argc, char **argv)
{
	const int points = argc > 1 ? atoi(argv[1]) : 400;
	const int steps = argc > 2 ? atoi(argv[2]) : 200;
	const int more = argc > 3 ? atoi(argv[3]) : 0;
	double started, *now, *next, *swap;
	int rank, size, up, down, mine;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	tally_begin(rank);
	up = (rank + 1) % size;
	down = (rank + size - 1) % size;
	mine = points + (rank == 0 ? more : 0);
	now = calloc((size_t)mine + 2, sizeof *now);
	next = calloc((size_t)mine + 2, sizeof *next);
	now[1] = rank + 1;
	started = tally_start();
	for (int step = 0; step < steps; step++) {
		MPI_Request requests[2];
		send(now[mine], up, TAG_UP, &requests[0]);
		send(now[1], down, TAG_DOWN, &requests[1]);
		relax(now, next, mine);
		receive(&next[0], down, TAG_UP);
		receive(&next[mine + 1], up, TAG_DOWN);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
		swap = now;
		now = next;
		next = swap;
	}
	tally_stop(started, rank);
	tally_did("update", (long)mine * steps);
	if (rank == 0)
		printf("first point %.6f\n", now[1]);
	free(now);
	free(next);
	tally_end("late", rank);
	MPI_Finalize();
	return 0;
}
