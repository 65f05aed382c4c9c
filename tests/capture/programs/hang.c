/* hang: programs that hang until somebody kills them, in the way their argument says.
 * Every rank says so on standard error before it does.
 * ring: every rank sends to the next one, synchronously, before anybody receives.
 * receive: every rank receives from the next one before anybody sends.
 * exchange: rank 1 is busy; the others exchange with their neighbours: 2 receives from 1, 3 from 2, 0 from 3.
 * probe: ranks 0 and 1 probe for a message of each other, 2 and 3 for one of anybody.
 * init: rank 2 never calls MPI_Init.
 * barrier: all but rank 1 are in a barrier; rank 1 is not.
 * request: rank 0 waits for a message that rank 1 never sends, and rank 1 for one of rank 0.
 * calls: rank 3 reduces where the others broadcast. roots: rank 3 broadcasts from another root.
 * counts: rank 3 broadcasts more. orders: ranks 0 and 1 meet in one communicator first, 2 and 3 in another.
 * operations: rank 3 misses a reduction in which rank 1 takes the maximum where the others add; types: and in which
 * rank 1 has floats where the others have integers; lengths: and in which rank 1 has two elements where the others have
 * four. own: and in which rank 1 has a type that it made, of one such float, and an operation that it made; bcast: rank 3 misses a broadcast of floats, for which rank 1 has such a type, and rank 2
 * has integers.
 * loop: as barrier, but rank 1 is in an endless loop of a function that is not recorded.
 * token: nothing hangs: a message goes round and round. swap: nothing hangs: all exchange with their neighbours.
 * polls: nothing hangs: rank 0 sends to itself again and again, and the others wait for it.
 * ahead: rank 0 waits for messages of ranks 1 and 2; rank 1 sent its own long before its last events, rank 2 never
 * does. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static __attribute__((no_instrument_function)) void ready(void)
{
	if (write(STDERR_FILENO, "ready\n", 6) != 6)
		abort();
}

static void ring(int rank, int size)
{
	int data = rank;

	MPI_Ssend(&data, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD);
	MPI_Recv(&data, 1, MPI_INT, (rank + size - 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void compute(void)
{
	pause();
}

static void receive(int rank, int size)
{
	int data = 0;

	/* The message before is done, and awaited no more. */
	MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 3, &data, 1, MPI_INT,
		     (rank + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Recv(&data, 1, MPI_INT, (rank + 1) % size, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Send(&data, 1, MPI_INT, (rank + size - 1) % size, 8, MPI_COMM_WORLD);
}

static void exchange(int rank, int size)
{
	int data = rank;

	if (rank == 1)
		compute();
	MPI_Sendrecv_replace(&data, 1, MPI_INT, (rank + 1) % size, 9, (rank + size - 1) % size, 9,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Recv(&data, 1, MPI_INT, (rank + size - 1) % size, 10, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
}

static __attribute__((noreturn)) void go_round(int rank, int size, int swaps)
{
	const int next = (rank + 1) % size, last = (rank + size - 1) % size;
	int data = rank, token;

	if (rank == 0 && !swaps)
		MPI_Send(&data, 1, MPI_INT, next, 12, MPI_COMM_WORLD);
	for (;;) {
		if (swaps) {
			MPI_Sendrecv(&data, 1, MPI_INT, next, 13, &token, 1, MPI_INT, last, 13,
				     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			continue;
		}
		MPI_Recv(&token, 1, MPI_INT, last, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&token, 1, MPI_INT, next, 12, MPI_COMM_WORLD);
	}
}

static void probe(int rank)
{
	MPI_Status status;

	MPI_Probe(rank < 2 ? 1 - rank : MPI_ANY_SOURCE, 11 + rank, MPI_COMM_WORLD, &status);
}

static __attribute__((no_instrument_function, noinline)) void spin(void)
{
	static volatile int never;

	while (!never)
		usleep(1000);
}

static void barrier(int rank, void (*other)(void))
{
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		other();
	MPI_Barrier(MPI_COMM_WORLD);
}

static void request(int rank)
{
	MPI_Request r;
	int data;

	MPI_Irecv(&data, 1, MPI_INT, rank ^ 1, 40 + rank, MPI_COMM_WORLD, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void ahead(int rank)
{
	MPI_Request r[2];
	int to[2], from = 1, own = 0;

	for (int i = 0; i < 2 && rank == 0; i++)
		MPI_Irecv(&to[i], 1, MPI_INT, i + 1, 50 + i, MPI_COMM_WORLD, &r[i]);
	if (rank == 1)
		MPI_Send(&from, 1, MPI_INT, 0, 50, MPI_COMM_WORLD);
	for (int i = 0; i < 200000 && rank == 1; i++)
		MPI_Sendrecv(&from, 1, MPI_INT, 1, 1, &own, 1, MPI_INT, 1, 1, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
	ready();
	if (rank)
		compute();
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

static void collective(const char *how, int rank)
{
	static char from[1 << 20], to[1 << 20];
	MPI_Comm one, other;

	MPI_Comm_dup(MPI_COMM_WORLD, &one);
	MPI_Comm_dup(MPI_COMM_WORLD, &other);
	MPI_Comm_set_name(one, "one");
	MPI_Comm_set_name(other, "other");
	if (strcmp(how, "calls") == 0 && rank == 3)
		MPI_Reduce(from, to, sizeof from, MPI_BYTE, MPI_BOR, 3, one);
	else if (strcmp(how, "calls") == 0)
		MPI_Bcast(from, sizeof from, MPI_BYTE, 3, one);
	else if (strcmp(how, "roots") == 0)
		MPI_Bcast(from, sizeof from, MPI_BYTE, rank == 3 ? 0 : 3, one);
	else if (strcmp(how, "counts") == 0)
		MPI_Bcast(from, rank == 3 ? 8 : sizeof from, MPI_BYTE, 3, one);
	else if (strcmp(how, "orders") == 0)
		MPI_Barrier(rank < 2 ? one : other);
	else if (rank == 0)
		for (;;) {
			MPI_Sendrecv(from, 1, MPI_BYTE, 0, 1, to, 1, MPI_BYTE, 0, 1, one,
				     MPI_STATUS_IGNORE);
			usleep(1000);
		}
	MPI_Barrier(one);
}

static void keep(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)in;
	(void)inout;
	(void)n;
	(void)type;
}

/* Reductions and broadcasts that lack rank 3, and do not fit together. */
static void mixed(const char *how, int rank)
{
	static float from[4], to[4];
	const int odd = rank == 1;
	MPI_Datatype one, type = MPI_FLOAT;
	MPI_Op first, op = MPI_SUM;
	const int n = odd && strcmp(how, "lengths") == 0 ? 2 : 4;

	MPI_Type_contiguous(1, MPI_FLOAT, &one);
	MPI_Type_commit(&one);
	MPI_Op_create(keep, 1, &first);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 3)
		compute();
	if (strcmp(how, "operations") == 0)
		op = odd ? MPI_MAX : MPI_SUM;
	else if (strcmp(how, "types") == 0)
		type = odd ? MPI_FLOAT : MPI_INT;
	else if (odd && n == 4)
		type = one;
	else if (rank == 2 && strcmp(how, "bcast") == 0)
		type = MPI_INT;
	if (strcmp(how, "bcast") == 0)
		MPI_Bcast(from, 4, type, 3, MPI_COMM_WORLD);
	else
		MPI_Allreduce(from, to, n, type, strcmp(how, "own") == 0 && odd ? first : op,
			      MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "ring";
	const char *number = getenv("PMI_RANK");
	int rank, size;

	if (strcmp(how, "init") == 0)
		ready();
	if (strcmp(how, "init") == 0 && number && strcmp(number, "2") == 0)
		compute();
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (strcmp(how, "ahead") == 0)
		ahead(rank);
	ready();
	if (strcmp(how, "ring") == 0)
		ring(rank, size);
	else if (strcmp(how, "receive") == 0)
		receive(rank, size);
	else if (strcmp(how, "exchange") == 0)
		exchange(rank, size);
	else if (strcmp(how, "token") == 0 || strcmp(how, "swap") == 0)
		go_round(rank, size, how[0] == 's');
	else if (strcmp(how, "probe") == 0)
		probe(rank);
	else if (strcmp(how, "barrier") == 0)
		barrier(rank, compute);
	else if (strcmp(how, "loop") == 0)
		barrier(rank, spin);
	else if (strcmp(how, "request") == 0)
		request(rank);
	else if (strcmp(how, "operations") == 0 || strcmp(how, "types") == 0 ||
		 strcmp(how, "own") == 0 || strcmp(how, "bcast") == 0 ||
		 strcmp(how, "lengths") == 0)
		mixed(how, rank);
	else
		collective(how, rank);
	MPI_Finalize();
	return 0;
}
