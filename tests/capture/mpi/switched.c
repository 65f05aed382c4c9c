/* Switches its recording: on two ranks, compiled with -finstrument-functions, what is recorded is
 *
 *			rank 0	rank 1
 *	work		10	15	(5 more of rank 0 while it is off)
 *	deep		0	0	(entered while off, left when on again; rank 0)
 *	outer		1	0	(entered when on, left while off)
 *	MPI_Sendrecv	10	10
 *	MPI_Send	0	0	(5 of rank 0 while it is off)
 *	MPI_Recv	0	5	(of these, of 100 to 500 bytes)
 *	MPI_Ssend	0	1	(to a receive that began while rank 0 was off)
 *	MPI_Irecv	0	0
 *	MPI_Wait	1	0
 *	MPI_Barrier	2	4	(3 of rank 0, 1 of rank 1 while off)
 *	region		1	2	(region "part"; 1 of rank 0 while off)
 *
 * and 26 messages. It sleeps 20 ms on each rank while recording is off, and prints how long that
 * was in all, in nanoseconds. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <tview.h>

#define QUIET __attribute__((no_instrument_function))

static char buffer[1000];
static int rank, other;
static volatile double sum;

QUIET static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

QUIET static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
}

__attribute__((noinline)) static void work(void)
{
	for (int i = 0; i < 1000; i++)
		sum += i;
}

__attribute__((noinline)) static void deep(int depth, MPI_Request *request)
{
	if (depth) {
		deep(depth - 1, request);
		return;
	}
	MPI_Irecv(buffer, 40, MPI_BYTE, other, 9, MPI_COMM_WORLD, request);
	nap();
	tview_on();
}

__attribute__((noinline)) static void outer(void)
{
	tview_off();
}

QUIET int main(int argc, char **argv)
{
	MPI_Request request;
	long long off = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	other = 1 - rank;
	for (int i = 0; i < 10; i++) {
		work();
		MPI_Sendrecv(&i, 4, MPI_BYTE, other, 1, buffer, 4, MPI_BYTE, other, 1,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	if (rank == 0) {
		off -= now();
		outer();
	}
	tview_begin("part");
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 1; i <= 5; i++) {
		work();
		if (rank == 0)
			MPI_Send(buffer, 100 * i, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
		else
			MPI_Recv(buffer, 1000, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	tview_end("part");
	if (rank == 0) {
		deep(3, &request);
		off += now();
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else {
		MPI_Ssend(buffer, 40, MPI_BYTE, 0, 9, MPI_COMM_WORLD);
	}
	off -= now();
	MPI_Pcontrol(0);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		nap();
	MPI_Pcontrol(1);
	off += now();
	tview_begin("part");
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	tview_end("part");
	MPI_Finalize();
	printf("%lld\n", off);
	return 0;
}
