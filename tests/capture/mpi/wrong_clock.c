/* Ranks that meet by one kind of operation alone, 40 times: wrong_clock KIND. Persistent and
 * partitioned messages go around a ring. The clock of rank 1 is 30 ms ahead: its clock_gettime()
 * comes before libc's, so that the recorder reads it, too. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 40, AHEAD = 30000000, SECOND = 1000000000 };

static const char *own_rank(void)
{
	const char *rank = getenv("PMI_RANK");

	return rank ? rank : getenv("OMPI_COMM_WORLD_RANK");
}

__attribute__((no_instrument_function)) int clock_gettime(clockid_t id, struct timespec *ts)
{
	const char *rank = own_rank();
	const int rc = (int)syscall(SYS_clock_gettime, id, ts);

	if (rc == 0 && rank && *rank == '1' &&
	    (id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_RAW)) {
		ts->tv_sec += (ts->tv_nsec + AHEAD) / SECOND;
		ts->tv_nsec = (ts->tv_nsec + AHEAD) % SECOND;
	}
	return rc;
}

static int rank, ranks, left, right;
static double give[16], take[64];
static MPI_Request r[8];
static int n; /* requests */

static void work(int round)
{
	const struct timespec nap = { 0, 200000 + (rank * 7919 + round * 104729) % 300000 };

	nanosleep(&nap, NULL);
}

static void rounds(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		work(i);
		MPI_Startall(n, r);
		MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
	}
}

/* The same, in the calls that look for what is complete. */
static void rounds_otherwise(void)
{
	int at, some, flag, list[8];

	for (int i = 0; i < ROUNDS; i++) {
		work(i);
		for (int k = 0; k < n; k++)
			MPI_Start(&r[k]);
		if (i % 3 == 0)
			for (int k = 0; k < n; k++)
				MPI_Waitany(n, r, &at, MPI_STATUS_IGNORE);
		else if (i % 3 == 1)
			for (int done = 0; done < n; done += some)
				MPI_Testsome(n, r, &some, list, MPI_STATUSES_IGNORE);
		else
			for (int k = 0; k < n; k++)
				do
					MPI_Test(&r[k], &flag, MPI_STATUS_IGNORE);
				while (!flag);
	}
}

static int is(const char *kind, const char *name)
{
	return strcmp(kind, name) == 0;
}

#define RECEIVE(from, tag) \
	MPI_Recv_init(take + 16 * tag, 16, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, &r[n++])
#define SEND(way, to, tag) MPI_##way##_init(give, 16, MPI_DOUBLE, to, tag, MPI_COMM_WORLD, &r[n++])

static void messages(const char *kind)
{
	static char buffer[1 << 20];

	if (is(kind, "any")) {
		RECEIVE(MPI_ANY_SOURCE, 1);
		SEND(Send, right, 1);
		return;
	}
	RECEIVE(left, 1);
	if (is(kind, "send")) {
		RECEIVE(right, 2);
		SEND(Send, right, 1);
		SEND(Send, left, 2);
	} else if (is(kind, "ssend")) {
		SEND(Ssend, right, 1);
	} else if (is(kind, "rsend")) {
		SEND(Rsend, right, 1);
	} else if (is(kind, "bsend")) {
		MPI_Buffer_attach(buffer, sizeof buffer);
		SEND(Bsend, right, 1);
	}
}

#if MPI_VERSION >= 4
/* Four partitions are sent, the last one later; two are received. */
static void partitions(void)
{
	MPI_Psend_init(give, 4, 4, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
	MPI_Precv_init(take, 2, 8, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
	for (int i = 0; i < ROUNDS; i++) {
		work(i);
		MPI_Startall(2, r);
		MPI_Pready(2, r[0]);
		MPI_Pready_range(0, 1, r[0]);
		work(i + 5);
		MPI_Pready(3, r[0]);
		for (int flag = 0; i % 2 && !flag;)
			MPI_Parrived(r[1], 1, &flag);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	}
}
#define PERSISTENT(name) MPI_##name
#else
#include <mpi-ext.h>
#define PERSISTENT(name) MPIX_##name
#endif

#define WORLD MPI_COMM_WORLD, MPI_INFO_NULL, &r[n++]

static void collectives(const char *kind)
{
	const int one = 1;
	MPI_Comm grid;

	if (is(kind, "barrier")) {
		PERSISTENT(Barrier_init)(WORLD);
	} else if (is(kind, "allreduce")) {
		PERSISTENT(Allreduce_init)(give, take, 1, MPI_DOUBLE, MPI_SUM, WORLD);
	} else if (is(kind, "alltoall")) {
		PERSISTENT(Alltoall_init)(give, 1, MPI_DOUBLE, take, 1, MPI_DOUBLE, WORLD);
	} else if (is(kind, "bcast")) {
		for (int root = 0; root < ranks; root++)
			PERSISTENT(Bcast_init)(take, 1, MPI_DOUBLE, root, WORLD);
	} else if (is(kind, "scan")) {
		PERSISTENT(Scan_init)(give, take, 1, MPI_DOUBLE, MPI_SUM, WORLD);
	} else if (is(kind, "neighbours")) {
		MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &one, 0, &grid);
		PERSISTENT(Neighbor_allgather_init)
		(give, 1, MPI_DOUBLE, take, 1, MPI_DOUBLE, grid, MPI_INFO_NULL, &r[n++]);
	}
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	left = (rank + ranks - 1) % ranks;
	right = (rank + 1) % ranks;
	if (is(argv[1], "parts")) {
#if MPI_VERSION >= 4
		partitions();
#endif
	} else if (is(argv[1], "ways")) {
		messages("send");
		rounds_otherwise();
	} else {
		collectives(argv[1]);
		if (n == 0)
			messages(argv[1]);
		rounds();
	}
	MPI_Finalize();
	return 0;
}
