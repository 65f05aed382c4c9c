/* sites: probes by hand (by_hand.h), and what they should be counted as. Two ranks; each writes what it did:
 *
 *	sites counts N		nested loops, callers, both recursions, a destination that changes, early returns
 *	sites longjmp N		loops and procedures that longjmp leaves
 *	sites often N		a tiny procedure, N times
 *	sites exit N		ends by exit() in the middle
 *	sites threads N		the same as counts in four threads beside, without messages
 *	sites forever N		calls until it is killed
 *	sites random N		N calls of procedures at random, and what was counted of them on standard output
 *	sites grow N		communicators, threads, requests, names, files: N times what a recorder might keep for ever
 *	sites modules N		a library that is unloaded and loaded again, N times, and calls back
 *	sites sums N		bytes by partner: MPI_Isend, MPI_Irecv, MPI_Sendrecv, collectives */
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tview.h>

#include "by_hand.h"
#include "sites.h"

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
	[THREAD] = PROCEDURE(L(THREAD)), [FIRST... FIRST + RANDOM - 1] = PROCEDURE(L(FIRST)),
	[FIRST_CALL... MAIN_CALL - 1] = CALL(L(FIRST_CALL), FIRST, TV_NO_SITE),
	[MAIN_CALL... CALL_OTHER - 1] = CALL(L(MAIN_CALL), MAIN, TV_NO_SITE),
	[CALL_OTHER] = CALL(L(CALL_OTHER), MAIN, TV_NO_SITE),
	[CALLED_BACK] = PROCEDURE(L(CALLED_BACK)), [ISEND] = STATEMENT(L(ISEND), MAIN),
	[IRECV] = STATEMENT(L(IRECV), MAIN), [WAIT] = STATEMENT(L(WAIT), MAIN),
	[BOTH] = STATEMENT(L(BOTH), MAIN), [REDUCE] = STATEMENT(L(REDUCE), MAIN),
	[BCAST] = STATEMENT(L(BCAST), MAIN))

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

static void threads(int many, int n)
{
	pthread_t id[4];

	for (int i = 0; i < many; i++)
		pthread_create(&id[i], NULL, in_thread, &n);
	for (int i = 0; i < many; i++)
		pthread_join(id[i], NULL);
}

static void forever(void)
{
	for (;;)
		counts(1000, 0);
}

/* ---- at random, with an account ---- */

static struct {
	unsigned state;
	long left;
	long count[RANDOM][RANDOM + 1],
		inner[RANDOM][RANDOM + 1]; /* of whom, from whom; RANDOM: main */
	int open[RANDOM];
} walk;

static unsigned draw(unsigned below)
{
	walk.state = walk.state * 1664525u + 1013904223u;
	return (walk.state >> 8) % below;
}

static __attribute__((noinline)) void step(int which, int from, int depth)
{
	walk.count[which][from]++;
	walk.inner[which][from] += walk.open[which] > 0;
	walk.open[which]++;
	walk.left--;
	{
		IN_PROCEDURE(FIRST + which);
		for (unsigned n = draw(4); n > 0 && walk.left > 0 && depth < 60; n--) {
			const int to = (int)draw(RANDOM);
			AT(FIRST_CALL + which * RANDOM + to);
			step(to, which, depth + 1);
		}
	}
	walk.open[which]--;
}

static void random_calls(long n)
{
	walk.left = n;
	while (walk.left > 0) {
		const int to = (int)draw(RANDOM);
		AT(MAIN_CALL + to);
		step(to, RANDOM, 0);
	}
	for (int to = 0; to < RANDOM; to++)
		for (int from = 0; from <= RANDOM; from++)
			printf("%d %d %ld %ld\n", FIRST + to,
			       from < RANDOM ? FIRST_CALL + from * RANDOM + to : MAIN_CALL + to,
			       walk.count[to][from], walk.inner[to][from]);
}

/* ---- what might grow ---- */

static void grow(int n)
{
	char name[32], byte = 0, other;
	MPI_Request requests[2];
	MPI_Comm comm;
	MPI_File file;

	for (int i = 0; i < n; i++) {
		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
		snprintf(name, sizeof name, "comm %d", i);
		MPI_Comm_set_name(comm, name);
		MPI_Barrier(comm);
		MPI_Irecv(&other, 1, MPI_CHAR, rank, 0, comm, &requests[0]);
		MPI_Isend(&byte, 1, MPI_CHAR, rank, 0, comm, &requests[1]);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
		MPI_Comm_free(&comm);
		MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &comm);
		MPI_Allreduce(MPI_IN_PLACE, &byte, 1, MPI_CHAR, MPI_MAX, comm);
		MPI_Comm_free(&comm);
		if (i % 16 == 0) {
			MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_WRONLY, MPI_INFO_NULL,
				      &file);
			MPI_File_close(&file);
			threads(1, 2);
		}
		tview_begin(i % 2 ? "odd" : "even");
		tview_end(i % 2 ? "odd" : "even");
		tview_mark("mark");
	}
}

/* ---- a second module: its table stands elsewhere, it has probes of its own ---- */

static const struct tv_site others[] __attribute__((aligned(TV_SLOT_SIZE))) = {
	{ .kind = 0 },
	PROCEDURE(7000),
	CALL(7010, 1, TV_NO_SITE),
};
static struct tv_probes other_probes;
static const struct tv_site *other_at;

static __attribute__((noinline)) void called_back(void)
{
	IN_PROCEDURE(CALLED_BACK);
	__asm__ volatile("");
}

static __attribute__((noinline)) void in_other(void)
{
	const unsigned token = other_probes.mode ? other_probes.enter(&others[1], &other_at,
								      __builtin_frame_address(0))
						 : 0;

	other_at = &others[2];
	called_back();
	if (other_probes.mode)
		other_probes.leave(&others[1], token);
}

static void modules(int n)
{
	void (*join)(struct tv_probes *), (*part)(struct tv_probes *);

	*(void **)(void *)&join = dlsym(RTLD_DEFAULT, TV_JOIN_NAME);
	*(void **)(void *)&part = dlsym(RTLD_DEFAULT, TV_PART_NAME);
	other_probes.start = (const char *)others;
	other_probes.stop = (const char *)(others + 3);
	for (int i = 0; join && part && i < n; i++) {
		join(&other_probes);
		AT(CALL_OTHER);
		in_other();
		part(&other_probes);
		in_other();
	}
}

/* ---- bytes ---- */

/* With the next rank around the ring, and to itself. */
static void sums(int n)
{
	double out[8] = { 0 }, in[16];
	const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
	MPI_Request requests[2];

	for (int i = 0; i < n; i++) {
		ANNOUNCE(IRECV);
		MPI_Irecv(in, 16, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &requests[0]);
		ANNOUNCE(ISEND);
		MPI_Isend(out, 3, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &requests[1]);
		ANNOUNCE(WAIT);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
		ANNOUNCE(BOTH);
		MPI_Sendrecv(out, 2, MPI_DOUBLE, next, 2, in, 16, MPI_DOUBLE, before, 2,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		ANNOUNCE(REDUCE);
		MPI_Allreduce(out, in, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		ANNOUNCE(BCAST);
		MPI_Bcast(in, 5, MPI_DOUBLE, 1, MPI_COMM_WORLD);
	}
}

static void deep(int n)
{
	for (int i = 0; i < 2; i++) {
		AT(CALL_SELF);
		self(n);
	}
}

/* Runs what the name says; false: not such a one. */
static int special(const char *what, int n)
{
	if (!strcmp(what, "longjmp"))
		jumps(n);
	else if (!strcmp(what, "random"))
		random_calls(n);
	else if (!strcmp(what, "grow"))
		grow(n);
	else if (!strcmp(what, "modules"))
		modules(n);
	else if (!strcmp(what, "deep"))
		deep(n);
	else if (!strcmp(what, "sums"))
		sums(n);
	else if (!strcmp(what, "forever"))
		forever();
	else if (!strcmp(what, "often"))
		for (int i = 0; i < n; i++)
			leaf();
	else
		return 0;
	return 1;
}

int main(int argc, char **argv)
{
	IN_PROCEDURE(MAIN);
	const char *what = argc > 1 ? argv[1] : "counts";
	int n = argc > 2 ? atoi(argv[2]) : 10;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (!special(what, n)) {
		if (!strcmp(what, "threads"))
			threads(4, n);
		else
			counts(n, 1);
		recursions();
	}
	timed(n < 1000 ? n : 1000);
	ANNOUNCE(BARRIER);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	if (!strcmp(what, "exit"))
		exit(3);
	return 0;
}
