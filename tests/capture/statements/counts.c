/* Known counts: every way into and out of procedures and loops, several callers, recursion, destinations that change in a
 * loop. On any number of ranks up to 8. */
#include <mpi.h>
#include <setjmp.h>
#include <stdlib.h>

#include "counts.h"
#include "twice.h"

static int rank, size;
static jmp_buf out_of_it;

/* Spins, so that callers have different times: its loop is counted as any other. */
static void leaf(long nanoseconds)
{
	const long from = counts_now();
	const int line = counts.from;

	PROCEDURE(leaf);
	LOOP; while (counts_now() - from < nanoseconds) { STEP;
	}
	DONE(leaf);
	counts.inside[line] += counts_now() - from;
}

static int nested(int n)
{
	int sum = 0, k = 0;

	PROCEDURE(nested);
	LOOP; for (int i = 0; i < n; i++) { STEP;
		LOOP; for (int j = 0; j < i; j++) { STEP;
			if (j == 3)
				continue;
			if (i + j == 9)
				break;
			sum += j;
		}
		LOOP; while (k < i) { STEP;
			k += 2;
		}
		LOOP; do { STEP;
			k--;
		} while (k > 5);
	}
	LOOP; for (int i = 0; i < 0; i++) { STEP;
	}
	DONE(nested);
	return sum;
}

/* Returns from within two loops, from behind them, or before. */
static int early(int n)
{
	PROCEDURE(early);
	if (n == 0) {
		DONE(early);
		return -1;
	}
	LOOP; for (int i = 0; i < 4; i++) { STEP;
		LOOP; for (int j = 0; j < 4; j++) { STEP;
			if (i * j == n) {
				DONE(early);
				return i;
			}
		}
	}
	DONE(early);
	return n;
}

static int leave_both(int n)
{
	int turns = 0;

	PROCEDURE(leave_both);
again:
	LOOP; for (int i = 0; i < 5; i++) { STEP;
		LOOP; for (int j = 0; j < 5; j++) { STEP;
			if (i + j == n)
				goto out;
		}
	}
out:
	if (++turns < 3)
		goto again;
	DONE(leave_both);
	return turns;
}

static long fact(long n)
{
	long below = 1;

	PROCEDURE(fact);
	if (n > 1) {
		CALL; below = fact(n - 1);
	}
	DONE(fact);
	return n * below;
}

static int pong(int n);

static int ping(int n)
{
	int below = 0;

	PROCEDURE(ping);
	if (n > 0) {
		CALL; below = pong(n - 1);
	}
	DONE(ping);
	return below + 1;
}

static int pong(int n)
{
	int below = 0;

	PROCEDURE(pong);
	if (n > 0) {
		CALL; below = ping(n - 1);
	}
	DONE(pong);
	return below + 1;
}

/* Recursion through a loop, which is then open more than once. */
enum { TREE_LOOP = __LINE__ + 6 };
static int tree(int depth)
{
	int nodes = 1;

	PROCEDURE(tree);
	LOOP; for (int i = 0; depth > 0 && i < 3; i++) { STEP;
		counts.loop_open[TREE_LOOP]++;
		CALL; nodes += tree(depth - 1);
		counts.loop_open[TREE_LOOP]--;
	}
	DONE(tree);
	return nodes;
}

enum { DEEP_LOOP = __LINE__ + 4 };
static void deep(int n)
{
	PROCEDURE(deep);
	LOOP; for (int i = 0; i < 2; i++) { STEP;
		counts.loop_open[DEEP_LOOP]++;
		if (n == 0)
			longjmp(out_of_it, 1);
		CALL; deep(n - 1);
		counts.loop_open[DEEP_LOOP]--;
	}
	DONE(deep);
}

static int jump(int n)
{
	PROCEDURE(jump);
	if (setjmp(out_of_it) == 0) {
		CALL; deep(n);
	} else {
		counts.open[COUNTS_deep] = 0;
		counts.loop_open[DEEP_LOOP] = 0;
		n = -n;
	}
	CALL; leaf(1000);
	DONE(jump);
	return n;
}

static int pointed(int n)
{
	PROCEDURE(pointed);
	DONE(pointed);
	return n + 1;
}

/* Called by the C library. */
static int compare(const void *a, const void *b)
{
	const int x = *(const int *)a, y = *(const int *)b;

	PROCEDURE(compare);
	DONE(compare);
	return (x > y) - (x < y);
}

static void callbacks(void)
{
	static int (*const table[])(int) = { pointed, pointed };
	int values[9] = { 4, 8, 1, 9, 3, 2, 7, 6, 5 };
	int n = 0;

	PROCEDURE(callbacks);
	LOOP; for (int i = 0; i < 2; i++) { STEP;
		CALL; n = table[i](n);
	}
	CALL; n = twice(n);
	CALL; n = other(n);
	qsort(values, 9, sizeof *values, compare);
	DONE(callbacks);
}

/* The paper's example (CMMD_send_block(dest, ...) in a loop): one statement, many destinations. */
static void master(void)
{
	double part[64] = { 0 };

	PROCEDURE(master);
	LOOP; for (int round = 0; round < 3; round++) { STEP;
		LOOP; for (int dest = 1; dest < size; dest++) { STEP;
			WITH(dest); SENT(dest, 8 * (dest + round)); MPI_Send(part, dest + round, MPI_DOUBLE, dest, 7, MPI_COMM_WORLD);
		}
		LOOP; for (int i = 1; i < size; i++) { STEP;
			WITH(i); RECEIVED(i, 4 * i); MPI_Recv(part, 64, MPI_INT, i, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
	}
	DONE(master);
}

static void worker(void)
{
	double part[64];

	PROCEDURE(worker);
	LOOP; for (int round = 0; round < 3; round++) { STEP;
		WITH(0); RECEIVED(0, 8 * (rank + round)); MPI_Recv(part, 64, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		CALL; leaf(20000);
		WITH(0); SENT(0, 4 * rank); MPI_Send(part, rank, MPI_INT, 0, 8, MPI_COMM_WORLD);
	}
	DONE(worker);
}

static void ring(void)
{
	const int next = (rank + 1) % size, before = (rank + size - 1) % size;
	int out[5] = { 0 }, in[5];

	PROCEDURE(ring);
	LOOP; for (int i = 0; i < 4; i++) { STEP;
		WITH(next); SENT(next, 20); MPI_Bsend(out, 5, MPI_INT, next, 3, MPI_COMM_WORLD);
		WITH(before); RECEIVED(before, 20); MPI_Recv(in, 5, MPI_INT, before, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	DONE(ring);
}

static void collectives(void)
{
	int in[2] = { 0 }, out[2];

	PROCEDURE(collectives);
	LOOP; for (int i = 0; i < 6; i++) { STEP;
		WITH(-1); MPI_Barrier(MPI_COMM_WORLD);
		WITH(-1); SENT(-1, 8 * size); RECEIVED(-1, 8 * size); MPI_Allreduce(in, out, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	}
	DONE(collectives);
}

/* The program ends in here. */
static void last(int n)
{
	PROCEDURE(last);
	LOOP; for (int i = 0; i < 10; i++) { STEP;
		LOOP; for (int j = 0; j < 10; j++) { STEP;
			if (i * j == n) {
				counts_write("counts.c", rank);
				exit(0);
			}
		}
	}
	DONE(last);
}

int main(int argc, char **argv)
{
	static char room[4096 + MPI_BSEND_OVERHEAD];
	const long turns = argc > 1 ? atol(argv[1]) : 1;
	long t;

	PROCEDURE(main);
	WITH(-1); MPI_Init(&argc, &argv);
	WITH(-1); MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	WITH(-1); MPI_Comm_size(MPI_COMM_WORLD, &size);
	WITH(-1); MPI_Buffer_attach(room, (int)sizeof room);
	LOOP; for (long turn = 0; turn < turns; turn++) { STEP;
		t = counts_now();
		CALL; counts.around[__LINE__] -= t; leaf(300000); counts.around[__LINE__] += counts_now();
		t = counts_now();
		CALL; counts.around[__LINE__] -= t; leaf(100000); counts.around[__LINE__] += counts_now();
		CALL; nested(7);
		CALL; nested(8 + rank);
		LOOP; for (int n = 0; n < 8; n++) { STEP;
			CALL; early(n);
			CALL; leave_both(n + 1);
		}
		CALL; fact(5 + rank);
		CALL; fact(3);
		CALL; ping(7);
		CALL; pong(4);
		CALL; ping(0);
		CALL; tree(3);
		CALL; jump(3);
		CALL; jump(0);
		CALL; callbacks();
		if (rank == 0 && size > 1) {
			CALL; master();
		} else if (size > 1) {
			CALL; worker();
		}
		CALL; ring();
		CALL; collectives();
	}
	WITH(-1); MPI_Buffer_detach(&t, &(int){ 0 });
	WITH(-1); MPI_Finalize();
	CALL; last(6);
	return 1;
}
