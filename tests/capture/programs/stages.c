/* Li and Zhang's matrix product by a master and its workers, by stages: init, send, compute, return, merge, and the master's
 * wait. For scripts/prove-virtual: each rank prints what each stage took by its own clock, and the master the order of its
 * receives from any source. A task is one row of C; computing one sleeps, so that ranks do not need a core each.
 *
 * In each round each worker has a task; they end `gap` ms after each other, in another order each round, without probes. Each
 * worker computes with another number of visits, so that probes turn the order round.
 *
 *	mpiexec -n 4 stages [gap=10] [rounds=4] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#define PLAIN __attribute__((no_instrument_function))

enum { ORDER = 64, TAG_B = 1, TAG_ROW, TAG_END, MOST_TASKS = 4096 };
enum stage { INIT, SEND, COMPUTE, RETURN, MERGE, WAIT, STAGES };

static const char *const names[STAGES] = { "init", "send", "compute", "return", "merge", "wait" };
static double a[ORDER], b[ORDER][ORDER], c[ORDER], seconds[STAGES];
static int rank, size, gap = 10, rounds = 4, order[MOST_TASKS];

PLAIN static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

PLAIN static void pass(double ms)
{
	const long long ns = (long long)(ms * 1e6);
	struct timespec left = { .tv_sec = (time_t)(ns / 1000000000),
				 .tv_nsec = (long)(ns % 1000000000) };

	while (nanosleep(&left, &left) != 0)
		;
}

/* When a worker's task of a round ends, in ms from the start. */
PLAIN static int planned(int worker, int round)
{
	const int workers = size - 1;
	const int place = round % 2 ? workers - worker : (worker + round) % workers;

	return (workers + 2) * gap * (round + 1) + place * gap;
}

static void __attribute__((noinline)) element(int i)
{
	double sum = 0;

	for (int k = 0; k < ORDER; k++)
		sum += a[k] * b[k][i];
	c[i] = sum;
}

static void __attribute__((noinline)) fill_row(int i)
{
	for (int k = 0; k < ORDER; k++)
		b[i][k] = i == k ? 2 : 0.001 * (i - k);
}

static void stage_init(void)
{
	for (int i = 0; i < ORDER; i++)
		fill_row(i);
}

static void stage_send(int worker, int round)
{
	if (round == 0)
		MPI_Send(b, ORDER * ORDER, MPI_DOUBLE, worker, TAG_B, MPI_COMM_WORLD);
	for (int k = 0; k < ORDER; k++)
		a[k] = worker + k;
	MPI_Send(a, ORDER, MPI_DOUBLE, worker, round < rounds ? TAG_ROW : TAG_END, MPI_COMM_WORLD);
}

static void stage_compute(int round)
{
	const int visits = 8 + 90 * (rank % 3); // 8, 98, 188
	const int before = round ? planned(rank, round - 1) : 0;

	for (int i = 0; i < visits; i++)
		element(i % ORDER);
	pass(planned(rank, round) - before);
}

static void stage_return(void)
{
	MPI_Send(c, ORDER, MPI_DOUBLE, 0, TAG_ROW, MPI_COMM_WORLD);
}

static int stage_wait(void)
{
	MPI_Status status;

	MPI_Recv(c, ORDER, MPI_DOUBLE, MPI_ANY_SOURCE, TAG_ROW, MPI_COMM_WORLD, &status);
	return status.MPI_SOURCE;
}

static void __attribute__((noinline)) add(int i)
{
	b[0][i] += c[i];
}

static void stage_merge(void)
{
	for (int i = 0; i < 16; i++)
		add(i);
}

PLAIN static double past(enum stage stage, double since)
{
	const double t = now();

	seconds[stage] += t - since;
	return t;
}

PLAIN static void master(void)
{
	int done[256] = { 0 };
	double t = now();

	stage_init();
	t = past(INIT, t);
	for (int worker = 1; worker < size; worker++)
		stage_send(worker, 0);
	t = past(SEND, t);
	for (int i = 0; i < rounds * (size - 1); i++) {
		order[i] = stage_wait();
		t = past(WAIT, t);
		stage_merge();
		t = past(MERGE, t);
		stage_send(order[i], ++done[order[i]]);
		t = past(SEND, t);
	}
}

PLAIN static void work(void)
{
	MPI_Status status;
	double t;

	MPI_Recv(b, ORDER * ORDER, MPI_DOUBLE, 0, TAG_B, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int round = 0;; round++) {
		MPI_Recv(a, ORDER, MPI_DOUBLE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		if (status.MPI_TAG == TAG_END)
			return;
		t = now();
		stage_compute(round);
		t = past(COMPUTE, t);
		stage_return();
		past(RETURN, t);
	}
}

/* From the barrier on. */
static void __attribute__((noinline)) everything(void)
{
	if (rank == 0)
		master();
	else
		work();
}

PLAIN int main(int argc, char **argv)
{
	double begin, sums[STAGES];

	gap = argc > 1 ? atoi(argv[1]) : gap;
	rounds = argc > 2 ? atoi(argv[2]) : rounds;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size < 2 || size > 256 || rounds < 1 || rounds * (size - 1) > MOST_TASKS)
		MPI_Abort(MPI_COMM_WORLD, 1);
	prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
	MPI_Barrier(MPI_COMM_WORLD);
	begin = now();
	everything();
	begin = now() - begin;
	MPI_Reduce(seconds, sums, STAGES, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0) {
		for (int i = 0; i < STAGES; i++)
			printf("%s %.9f\n", names[i], sums[i]);
		printf("all %.9f\norder", begin);
		for (int i = 0; i < rounds * (size - 1); i++)
			printf(" %d", order[i]);
		printf("\n");
	}
	MPI_Finalize();
	return 0;
}
