/* sites: probes by hand (by_hand.h), and what they should be counted as. Two ranks; each writes what it did:
 *
 *	sites counts N		nested loops, callers, both recursions, a destination that changes, early returns
 *	sites longjmp N		loops and procedures that longjmp leaves
 *	sites often N		a tiny procedure, N times
 *	sites exit N		ends by exit() in the middle
 *	sites threads N		the same as counts in four threads beside, without messages
 *	sites forever N		calls until it is killed */
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "by_hand.h"

enum {
	MAIN,
	OUTER,
	INNER,
	CALL_LEAF,
	CALL_LEAF_TOO,
	LEAF,
	SELF,
	CALL_SELF,
	SELF_CALLS,
	PING,
	CALL_PING,
	PING_CALLS,
	PONG,
	PONG_CALLS,
	SEND,
	RECV,
	BARRIER,
	JUMPER,
	CALL_JUMPER,
	JUMP_LOOP,
	JUMP_INNER,
	AFTER_LOOP,
	TIMED,
	EARLY,
	CALL_EARLY,
	THREAD,
	SITES
};

#define L(i) (10 + 10 * (i))
BY_HAND(SITES, [MAIN] = PROCEDURE(L(MAIN)), [OUTER] = LOOP(L(OUTER), MAIN),
	[INNER] = LOOP(L(INNER), OUTER), [CALL_LEAF] = CALL(L(CALL_LEAF), INNER, LEAF),
	[CALL_LEAF_TOO] = CALL(L(CALL_LEAF_TOO), OUTER, LEAF), [LEAF] = PROCEDURE(L(LEAF)),
	[SELF] = PROCEDURE(L(SELF)), [CALL_SELF] = CALL(L(CALL_SELF), MAIN, SELF),
	[SELF_CALLS] = CALL(L(SELF_CALLS), SELF, SELF), [PING] = PROCEDURE(L(PING)),
	[CALL_PING] = CALL(L(CALL_PING), MAIN, PING),
	[PING_CALLS] = CALL(L(PING_CALLS), PING, PONG), [PONG] = PROCEDURE(L(PONG)),
	[PONG_CALLS] = CALL(L(PONG_CALLS), PONG, PING), [SEND] = STATEMENT(L(SEND), OUTER),
	[RECV] = STATEMENT(L(RECV), OUTER), [BARRIER] = STATEMENT(L(BARRIER), MAIN),
	[JUMPER] = PROCEDURE(L(JUMPER)), [CALL_JUMPER] = CALL(L(CALL_JUMPER), JUMP_INNER, JUMPER),
	[JUMP_LOOP] = LOOP(L(JUMP_LOOP), MAIN), [JUMP_INNER] = LOOP(L(JUMP_INNER), JUMP_LOOP),
	[AFTER_LOOP] = LOOP(L(AFTER_LOOP), MAIN), [TIMED] = LOOP(L(TIMED), MAIN),
	[EARLY] = PROCEDURE(L(EARLY)), [CALL_EARLY] = CALL(L(CALL_EARLY), OUTER, EARLY),
	[THREAD] = PROCEDURE(L(THREAD)))

static int rank, ranks;

static __attribute__((noinline)) void leaf(void)
{
	IN_PROCEDURE(LEAF);
	__asm__ volatile("");
}

static __attribute__((noinline)) int early(int i)
{
	IN_PROCEDURE(EARLY);
	for (;;) {
		if (i % 3 == 0)
			return 1;
		if (i % 3 == 1)
			break;
		i--;
	}
	return 0;
}

static __attribute__((noinline)) void self(int depth)
{
	IN_PROCEDURE(SELF);
	if (depth > 0) {
		AT(SELF_CALLS);
		self(depth - 1);
	}
}

static void pong(int depth);

static __attribute__((noinline)) void ping(int depth)
{
	IN_PROCEDURE(PING);
	if (depth > 0) {
		AT(PING_CALLS);
		pong(depth - 1);
	}
}

static __attribute__((noinline)) void pong(int depth)
{
	IN_PROCEDURE(PONG);
	if (depth > 0) {
		AT(PONG_CALLS);
		ping(depth - 1);
	}
}

/* As in the paper: whom a statement is with changes in the loop. */
static void exchange(int i)
{
	double out[4] = { 0 }, in[4];
	const int with = rank == 0 ? 1 + i % (ranks - 1) : 0;

	if (ranks < 2 || (rank != 0 && i % (ranks - 1) != rank - 1))
		return;
	if (rank == 0) {
		ANNOUNCE(SEND);
		MPI_Send(out, 1 + i % 4, MPI_DOUBLE, with, 0, MPI_COMM_WORLD);
		ANNOUNCE(RECV);
		MPI_Recv(in, 4, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		ANNOUNCE(RECV);
		MPI_Recv(in, 4, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		ANNOUNCE(SEND);
		MPI_Send(out, 1 + i % 4, MPI_DOUBLE, with, 0, MPI_COMM_WORLD);
	}
}

static void counts(int n, int messages)
{
	IN_LOOP(OUTER);
	for (int i = 0; i < n; i++) {
		ITERATION;
		{
			IN_LOOP(INNER);
			for (int j = 0; j < 3; j++) {
				ITERATION;
				AT(CALL_LEAF);
				leaf();
			}
		}
		AT(CALL_LEAF_TOO);
		leaf();
		AT(CALL_EARLY);
		early(i);
		if (messages)
			exchange(i);
	}
}

static void recursions(void)
{
	AT(CALL_SELF);
	self(4);
	AT(CALL_SELF);
	self(0);
	AT(CALL_PING);
	ping(5);
}

static void timed(int n)
{
	IN_LOOP(TIMED);
	for (int i = 0; i < n; i++) {
		TIMED_ITERATION(TIMED);
		leaf();
	}
}

static jmp_buf jump;

static __attribute__((noinline)) void jumper(int depth)
{
	IN_PROCEDURE(JUMPER);
	if (depth > 0)
		jumper(depth - 1);
	else if (ranks > 0)
		longjmp(jump, 1);
}

static __attribute__((noinline)) void jumps(int n)
{
	for (volatile int i = 0; i < n; i++) {
		if (setjmp(jump) == 0) {
			IN_LOOP(JUMP_LOOP);
			ITERATION;
			{
				IN_LOOP(JUMP_INNER);
				ITERATION;
				AT(CALL_JUMPER);
				jumper(2);
			}
		}
		IN_LOOP(AFTER_LOOP);
		ITERATION;
		leaf();
	}
}

static void *in_thread(void *n)
{
	IN_PROCEDURE(THREAD);
	counts(*(int *)n, 0);
	recursions();
	return NULL;
}

static void threads(int n)
{
	pthread_t id[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&id[i], NULL, in_thread, &n);
	for (int i = 0; i < 4; i++)
		pthread_join(id[i], NULL);
}

static void forever(void)
{
	for (;;)
		counts(1000, 0);
}

int main(int argc, char **argv)
{
	IN_PROCEDURE(MAIN);
	const char *what = argc > 1 ? argv[1] : "counts";
	int n = argc > 2 ? atoi(argv[2]) : 10;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (!strcmp(what, "forever"))
		forever();
	if (!strcmp(what, "longjmp"))
		jumps(n);
	else if (!strcmp(what, "often"))
		for (int i = 0; i < n; i++)
			leaf();
	else if (!strcmp(what, "threads"))
		threads(n);
	else
		counts(n, 1);
	if (strcmp(what, "longjmp") != 0 && strcmp(what, "often") != 0)
		recursions();
	timed(n < 1000 ? n : 1000);
	ANNOUNCE(BARRIER);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	if (!strcmp(what, "exit"))
		exit(3);
	return 0;
}
