/* matrix: C = A B by a master and its workers, which is the example of Li and Zhang's statistics by statement: rank 0 sends each
 * worker rows of A and all of B, the workers multiply, the master merges what comes back.
 *
 * To see, compiled with tvcc, in the program graph: one send statement in a loop over destinations, and what it cost for each; the
 * receive in which the master waits for the worker with most rows; loops with iterations and the time of one; a
 * procedure (dot) that is called by two statements with different times. The last worker has as many rows as `skew` others.
 *
 *	mpiexec -n 4 matrix [order=160] [rounds=5] [skew=3] */
#include <math.h>

#include "tally.h"

enum { TAG_ROWS = 1, TAG_A, TAG_B, TAG_C };

struct job {
	int order, rounds, skew;
	int rank, size;
	double *a, *b, *c;
};

static double *new_matrix(int rows, int columns)
{
	double *m = calloc((size_t)(rows > 0 ? rows : 1) * (size_t)columns, sizeof *m);

	if (!m)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return m;
}

static void initialise(struct job *job, int round)
{
	for (int i = 0; i < job->order; i++)
		for (int k = 0; k < job->order; k++) {
			job->a[i * job->order + k] = i + k + round;
			job->b[i * job->order + k] = i == k ? 2 : 0.001 * (i - k);
		}
}

/* Rows of a worker: the last one has `skew` shares. */
static int rows_of(const struct job *job, int worker)
{
	const int shares = job->size - 2 + job->skew;
	const int each = job->order / shares;

	return worker < job->size - 1 ? each : job->order - each * (job->size - 2);
}

static double dot(const double *row, const double *column, int n)
{
	double sum = 0;

	for (int k = 0; k < n; k++)
		sum += row[k] * column[k * n];
	return sum;
}

static void multiply(const struct job *job, const double *a, double *c, int rows)
{
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < job->order; j++)
			c[i * job->order + j] = dot(a + i * job->order, job->b + j, job->order);
}

static void distribute(const struct job *job)
{
	const int n = job->order;
	int done = 0;

	for (int dest = 1; dest < job->size; dest++) {
		const int rows = rows_of(job, dest);
		MPI_Send(&rows, 1, MPI_INT, dest, TAG_ROWS, MPI_COMM_WORLD);
		tally_sent(dest, TAG_ROWS, (long)sizeof rows);
		MPI_Send(job->a + done * n, rows * n, MPI_DOUBLE, dest, TAG_A, MPI_COMM_WORLD);
		tally_sent(dest, TAG_A, (long)sizeof(double) * rows * n);
		MPI_Send(job->b, n * n, MPI_DOUBLE, dest, TAG_B, MPI_COMM_WORLD);
		tally_sent(dest, TAG_B, (long)sizeof(double) * n * n);
		done += rows;
	}
}

static void merge(const struct job *job)
{
	const int n = job->order;
	int done = 0;

	for (int source = 1; source < job->size; source++) {
		const int rows = rows_of(job, source);
		MPI_Recv(job->c + done * n, rows * n, MPI_DOUBLE, source, TAG_C, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		tally_received(source, TAG_C, (long)sizeof(double) * rows * n);
		done += rows;
	}
}

/* A few elements once more. */
static int verify(const struct job *job)
{
	const int n = job->order;
	int wrong = 0;

	for (int i = 0; i < n; i += 7) {
		const int j = (3 * i) % n;
		wrong += fabs(dot(job->a + i * n, job->b + j, n) - job->c[i * n + j]) > 1e-6;
	}
	return wrong;
}

static int master(struct job *job)
{
	int wrong = 0;

	for (int round = 0; round < job->rounds; round++) {
		initialise(job, round);
		if (job->size == 1) {
			multiply(job, job->a, job->c, job->order);
		} else {
			distribute(job);
			merge(job);
		}
		wrong += verify(job);
	}
	printf("%d rounds of order %d: %d elements wrong\n", job->rounds, job->order, wrong);
	return wrong;
}

static void work(struct job *job)
{
	const int n = job->order;

	for (int round = 0; round < job->rounds; round++) {
		int rows = 0;
		MPI_Recv(&rows, 1, MPI_INT, 0, TAG_ROWS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		tally_received(0, TAG_ROWS, (long)sizeof rows);
		MPI_Recv(job->a, rows * n, MPI_DOUBLE, 0, TAG_A, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		tally_received(0, TAG_A, (long)sizeof(double) * rows * n);
		MPI_Recv(job->b, n * n, MPI_DOUBLE, 0, TAG_B, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		tally_received(0, TAG_B, (long)sizeof(double) * n * n);
		multiply(job, job->a, job->c, rows);
		MPI_Send(job->c, rows * n, MPI_DOUBLE, 0, TAG_C, MPI_COMM_WORLD);
		tally_sent(0, TAG_C, (long)sizeof(double) * rows * n);
	}
}

int main(int argc, char **argv)
{
	struct job job = { .order = argc > 1 ? atoi(argv[1]) : 160,
			   .rounds = argc > 2 ? atoi(argv[2]) : 5,
			   .skew = argc > 3 ? atoi(argv[3]) : 3 };
	int wrong = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &job.size);
	tally_begin(job.rank);
	job.a = new_matrix(job.order, job.order);
	job.b = new_matrix(job.order, job.order);
	job.c = new_matrix(job.order, job.order);
	if (job.rank == 0)
		wrong = master(&job);
	else
		work(&job);
	tally_end("matrix", job.rank);
	MPI_Finalize();
	free(job.a);
	free(job.b);
	free(job.c);
	return wrong != 0;
}
