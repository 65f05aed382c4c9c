/* waiting_run: made-up runs with true times, in which who waits for whom is known: what a test says
 * happens one after the other, on clocks that each location has of its own, so that nothing can
 * hang. Calls of MPI take no time but waiting (a sender that waited leaves a tick behind the
 * receive's begin); all times are ticks of 10^-6 s. */
#pragma once

#include "model/build/builder.h"

enum { WAITING_LOCATIONS = 16, WAITING_WORKS = 4, WAITING_POSTED = 64 };

enum waiting_call {
	WAITING_INIT,
	WAITING_FINALIZE,
	WAITING_SEND,
	WAITING_SSEND,
	WAITING_RECV,
	WAITING_ISEND,
	WAITING_IRECV,
	WAITING_WAIT,
	WAITING_WAITALL,
	WAITING_PROBE,
	WAITING_IPROBE,
	/* With waiting_collective(). */
	WAITING_BARRIER,
	WAITING_ALLREDUCE,
	WAITING_BCAST,
	WAITING_REDUCE,
	WAITING_DUP,
	WAITING_OPEN,
	WAITING_SCAN,
	WAITING_NEIGHBOURS, /* on a line of all ranks */
	WAITING_ALL_CALLS
};

/* A receive that was posted and waits to be completed. */
struct waiting_posted {
	uint32_t from;
	int64_t request, arrives;
};

struct waiting_run {
	struct builder *b;
	uint32_t n;
	int64_t now[WAITING_LOCATIONS];
	uint32_t works[WAITING_WORKS]; /* sites of work_0, work_1, ... */
	uint32_t calls[WAITING_ALL_CALLS], regions[WAITING_ALL_CALLS];
	uint32_t even; /* communicator of the even ranks; 0: the world's */
	uint32_t line; /* communicator of all ranks, with the topology of a line */
	struct waiting_posted posted[WAITING_LOCATIONS][WAITING_POSTED];
	uint32_t n_posted[WAITING_LOCATIONS];
	int64_t request;
};

/* Locations are ranks 0 .. n - 1; with `init` all call MPI_Init at 0. */
void waiting_begin(struct waiting_run *run, uint32_t n, bool init);
void waiting_work(struct waiting_run *run, uint32_t l, uint32_t work, int64_t ticks);
/* In MPI, and nobody's fault: what a network takes. */
void waiting_idle(struct waiting_run *run, uint32_t l, int64_t ticks);
/* The receiver waits for the sender; with `synchronous` also the other way round. */
void waiting_message(struct waiting_run *run, uint32_t from, uint32_t to, bool synchronous);
/* The receiver probes until the message is sent, or polls in work 3, and then receives it. */
void waiting_probed(struct waiting_run *run, uint32_t from, uint32_t to, bool polls);
/* The receive is posted now, the message sent; waiting_complete() completes all of a location. */
void waiting_post(struct waiting_run *run, uint32_t from, uint32_t to);
void waiting_complete(struct waiting_run *run, uint32_t l);
/* Of all, or of the even ranks. `root` is a rank of them. */
void waiting_collective(struct waiting_run *run, enum waiting_call call, bool even, uint32_t root);
/* MPI_Finalize, which all enter and leave together, with `finalize`. */
struct trace *waiting_end(struct waiting_run *run, bool finalize);

/* A random run of so many steps. The same seed gives the same. */
struct trace *waiting_random(uint64_t seed, uint32_t locations, uint32_t steps);
/* Two ranks receive what the other sends only then, again and again: every wait waits for the
 * other. */
struct trace *waiting_impossible(uint32_t rounds);
