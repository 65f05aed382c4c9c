/* case: what the programs of the suite share. Each program has one planted cause of waiting, or none;
 * NAME.label says which (README.md). They are read more often than they are run: work is sleep, so
 * that it needs no core, and all sizes are in the program.
 *
 * nap() and spin() stand for work; they are to be left out of a recording (tvcc --exclude nap). */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 40, RANKS_MOST = 64 };

static int rank, ranks;

/* Sleeps. */
static inline void nap(double ms)
{
	struct timespec left = { 0, (long)(ms * 1e6) };

	while (nanosleep(&left, &left) != 0)
		;
}

/* Keeps a core busy. */
static inline void spin(double ms)
{
	struct timespec t;
	double begin, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	begin = (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
		now = (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
	} while (now - begin < ms);
}

/* MPI_Init, and a barrier: all begin together. */
#define BEGIN()                                        \
	do {                                           \
		MPI_Init(NULL, NULL);                  \
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);  \
		MPI_Comm_size(MPI_COMM_WORLD, &ranks); \
		MPI_Barrier(MPI_COMM_WORLD);           \
	} while (0)

/* Adds a number over all ranks: everybody waits for the last one. */
#define REDUCE()                                                                      \
	do {                                                                          \
		double mine_ = rank, all_;                                            \
		MPI_Allreduce(&mine_, &all_, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); \
	} while (0)

enum { HALO_MOST = 1 << 18 };

/* Exchanges n bytes with the ranks beside this one. */
static inline void halo(int n)
{
	static char mine[HALO_MOST], left[HALO_MOST], right[HALO_MOST];
	MPI_Request requests[4];
	int used = 0;

	if (rank > 0) {
		MPI_Irecv(left, n, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD, &requests[used++]);
		MPI_Isend(mine, n, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD, &requests[used++]);
	}
	if (rank < ranks - 1) {
		MPI_Irecv(right, n, MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD, &requests[used++]);
		MPI_Isend(mine, n, MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD, &requests[used++]);
	}
	MPI_Waitall(used, requests, MPI_STATUSES_IGNORE);
}
