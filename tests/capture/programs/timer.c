/* timer: a signal handler with probes interrupts the program, and the recorder, at any moment.
 *
 *	mpiexec -n N timer HZ
 *
 * Each rank calls a leaf over and over for a fifth of a second, with barriers between. The handler calls a
 * function, too. All calls are counted by the program itself; a thread of MPI's may get the signal while another has it. */
#include <signal.h>
#include <sys/time.h>

#include <tview.h>

#include "tally.h"

static volatile double sink;
static volatile long leaves, phases, ticks, ticked;

static __attribute__((noinline)) double leaf(double x)
{
	TVIEW_FUNCTION(leaf);

	leaves++;
	for (int i = 0; i < 100; i++)
		x = x * 0.5 + 1;
	return x;
}

static __attribute__((noinline)) void count_tick(void)
{
	TVIEW_FUNCTION(count_tick);

	__atomic_fetch_add(&ticked, 1, __ATOMIC_RELAXED);
}

static void tick(int number)
{
	TVIEW_FUNCTION(tick);

	__atomic_fetch_add(&ticks, 1, __ATOMIC_RELAXED);
	count_tick();
	(void)number;
}

static __attribute__((noinline)) void phase(long n)
{
	TVIEW_FUNCTION(phase);
	double x = 1;

	phases++;
	for (long i = 0; i < n; i++)
		x = leaf(x);
	sink = x;
}

static void set_timer(long hz)
{
	const long us = hz ? 1000000 / hz : 0;
	const struct itimerval every = { { 0, us }, { 0, us } };

	setitimer(ITIMER_REAL, &every, NULL);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = tick, .sa_flags = SA_RESTART };
	double end;
	int rank, more = 1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	sigaction(SIGALRM, &action, NULL);
	set_timer(argc > 1 ? atol(argv[1]) : 100);
	end = MPI_Wtime() + 0.2;
	while (more) {
		phase(500);
		more = MPI_Wtime() < end;
		MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
	}
	set_timer(0);
	MPI_Barrier(MPI_COMM_WORLD);
	tally_begin(rank);
	tally_did("leaf", leaves);
	tally_did("phase", phases);
	tally_did("tick", ticks);
	tally_did("count_tick", ticked);
	MPI_Finalize();
	return 0;
}
