/* capture_bench: what tracing adds to a call. One rank; scripts/bench-capture (make bench) runs it plain and under tvrun,
 * and subtracts.
 *
 * Shortest of many short rounds, so that neither other programs nor the growing of a buffer are in it. Targets (added):
 * an MPI call 25 ns with the TSC, 60 ns with clock_gettime; a function 28 and 60 ns. The probe is tvcc's, written by hand; the hook is the
 * compiler's. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

#include "by_hand.h"

#define UNSEEN __attribute__((no_instrument_function))

enum { CALLS = 2000, ROUNDS = 100 };

enum { MAIN, PROBED, CALLED, LOOPED, SITES };

BY_HAND(SITES, [MAIN] = PROCEDURE(1), [PROBED] = PROCEDURE(2), [CALLED] = CALL(3, MAIN, PROBED),
	[LOOPED] = LOOP(4, MAIN))

static UNSEEN double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static __attribute__((noinline)) void hooked(void)
{
	__asm__ volatile("");
}

static UNSEEN __attribute__((noinline)) void probed(void)
{
	IN_PROCEDURE(PROBED);
	__asm__ volatile("");
}

static UNSEEN __attribute__((noinline)) void looped(void)
{
	IN_LOOP(LOOPED);
	ITERATION;
	__asm__ volatile("");
}

static char byte;

static UNSEEN void call_hooked(void)
{
	hooked();
}

static UNSEEN void call_probed(void)
{
	AT(CALLED);
	probed();
}

static UNSEEN void call_rank(void)
{
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

static UNSEEN void call_send(void)
{
	MPI_Send(&byte, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

static UNSEEN void call_receive(void)
{
	MPI_Recv(&byte, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* A message on its way and back: what is added stands for both calls and what is written of the message. */
static UNSEEN void call_message(void)
{
	char in;

	MPI_Sendrecv(&byte, 1, MPI_CHAR, 0, 0, &in, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF,
		     MPI_STATUS_IGNORE);
}

static const char *const kinds[] = { "hook",     "probe",    "loop",   "MPI_Comm_rank",
				     "MPI_Send", "MPI_Recv", "message" };

enum { KINDS = sizeof kinds / sizeof *kinds };

/* Inlined, so that what is called is known. */
static inline UNSEEN __attribute__((always_inline)) double round_of(void (*call)(void))
{
	const double from = now();

	for (int i = 0; i < CALLS; i++)
		call();
	return (now() - from) / CALLS;
}

static UNSEEN double round_of_kind(int kind)
{
	switch (kind) {
	case 0: return round_of(call_hooked);
	case 1: return round_of(call_probed);
	case 2: return round_of(looped);
	case 3: return round_of(call_rank);
	case 4: return round_of(call_send);
	case 5: return round_of(call_receive);
	default: return round_of(call_message);
	}
}

UNSEEN int main(int argc, char **argv)
{
	IN_PROCEDURE(MAIN);
	double shortest[KINDS];

	MPI_Init(&argc, &argv);
	for (int round = 0; round < ROUNDS; round++) {
		for (int kind = 0; kind < KINDS; kind++) {
			const double took = round_of_kind(kind);
			if (round == 0 || took < shortest[kind])
				shortest[kind] = took;
		}
	}
	for (int kind = 0; kind < KINDS; kind++)
		printf("%s %.1f\n", kinds[kind], shortest[kind]);
	MPI_Finalize();
	return 0;
}
