/* job_bench: a loop of one kind of record, for the cost of a whole job: scripts/bench-capture runs it
 * plain and under tvrun, and subtracts the CPU time of all processes.
 *
 *	job_bench calls|hooks|probes|clock COUNT [PER_SECOND]
 *
 * calls: COUNT calls of MPI: MPI_Irecv, MPI_Send, MPI_Wait of a message of 8 bytes to itself, in turn.
 * hooks, probes: COUNT visits of a procedure with the compiler's hooks, with tvcc's probes.
 * clock: COUNT readings of the recorder's clock, the yardstick: a call of MPI or a visit takes two.
 * PER_SECOND: paced by sleeping after each 20 ms' worth. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "by_hand.h"
#include "capture/lib/record_clock.h"

#define UNSEEN __attribute__((no_instrument_function))

enum { MAIN, PROBED, BURST, CALLED, SITES };

BY_HAND(SITES, [MAIN] = PROCEDURE(1), [PROBED] = PROCEDURE(2), [BURST] = LOOP(3, MAIN),
	[CALLED] = CALL(4, BURST, PROBED))

static long work[8];

static __attribute__((noinline)) void hooked(long i)
{
	work[i & 7] += i;
}

static UNSEEN __attribute__((noinline)) void probed(long i)
{
	IN_PROCEDURE(PROBED);
	work[i & 7] += i;
}

static UNSEEN void hooks(long n)
{
	for (long i = 0; i < n; i++)
		hooked(i);
}

static UNSEEN void probes_of(long n)
{
	IN_LOOP(BURST);
	for (long i = 0; i < n; i++) {
		ITERATION;
		AT(CALLED);
		probed(i);
	}
}

static UNSEEN void calls(long n)
{
	for (long i = 0; i < n / 3; i++) {
		MPI_Request request;
		long in;
		MPI_Irecv(&in, 1, MPI_LONG, 0, 0, MPI_COMM_SELF, &request);
		MPI_Send(&i, 1, MPI_LONG, 0, 0, MPI_COMM_SELF);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
}

static UNSEEN void readings(long n)
{
	for (long i = 0; i < n; i++)
		work[i & 7] += (long)tv_ticks(TV_CLOCK_TSC);
}

static UNSEEN void wait_until(const struct timespec *start, double seconds)
{
	struct timespec until = *start;

	until.tv_sec += (time_t)seconds;
	until.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
		continue;
}

UNSEEN int main(int argc, char **argv)
{
	IN_PROCEDURE(MAIN);
	const char *kind = argc > 1 ? argv[1] : "";
	void (*const run)(long) = !strcmp(kind, "calls")    ? calls
				  : !strcmp(kind, "hooks")  ? hooks
				  : !strcmp(kind, "probes") ? probes_of
				  : !strcmp(kind, "clock")  ? readings
							    : NULL;
	const long count = argc > 2 ? atol(argv[2]) : 0, rate = argc > 3 ? atol(argv[3]) : 0;
	const long burst = rate ? rate / 50 : count;
	struct timespec start;

	if (!run || count <= 0) {
		fprintf(stderr, "usage: job_bench calls|hooks|probes|clock COUNT [PER_SECOND]\n");
		return 2;
	}
	MPI_Init(&argc, &argv);
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (long done = 0; done < count; done += burst) {
		run(burst < count - done ? burst : count - done);
		if (rate)
			wait_until(&start, (double)(done + burst) / (double)rate);
	}
	MPI_Finalize();
	return 0;
}
