/* inject: programs that put a known wait, of known cause, into each operation of MPI that can wait.
 *
 * A row names an operation, the rank that is late, the ranks that wait for it, and the metric that
 * their waiting is. What it does is a function:
 *
 *	inject_begin();         the late rank sleeps in "delay"; then all note when they come
 *	MPI_Ibcast(...);
 *	inject_waits();         who waits notes again, right before it does
 *	MPI_Wait(...);
 *	inject_end();           who waits notes when it may go on
 *
 * All ranks are on one machine, so their notes are of one clock. A wait is the time from the note of
 * the one that waits to that of the late one, or to its own end if that is earlier: MPI did not make
 * it wait then. */
#pragma once

#include <mpi.h>

enum { RANKS = 4, LATE = 1, NUMBERS = 8, LARGE = 1 << 20 };

/* Ranks that wait, as bits. */
enum {
	ALL_OTHERS = 1 << 0 | 1 << 2 | 1 << 3,
	FIRST = 1 << 0,
	ABOVE = 1 << 2 | 1 << 3,
	BESIDE = 1 << 0 | 1 << 2
};

struct inject_row {
	const char *name; /* of the region that the operation is in */
	void (*run)(void);
	int waiters;
	const char *metric; /* of the waiting */
};

/* What rows use: buffers with room for LARGE numbers each, a ring of all ranks. */
struct inject {
	int rank;
	int *from, *to;
	MPI_Comm ring, graph; /* LATE has the neighbours 0 and 2 */
	MPI_Comm half;        /* the even ranks, or the odd ones */
	MPI_Comm both;        /* between these; LATE is the first of its group */
	MPI_Request request;
	MPI_Status status[1];
};
extern struct inject inject;

void inject_begin(void);
void inject_waits(void);
void inject_comes(void); /* the late rank notes again that it has come */
void inject_end(void);
/* The whole of what follows after the request was made. */
void inject_complete(MPI_Request *request);

/* End with a row without name. */
extern const struct inject_row inject_pairs[], inject_probes[], inject_collectives[],
	inject_requests[], inject_neighbours[], inject_makers[], inject_windows[], inject_files[],
	inject_between[], inject_balanced[];
