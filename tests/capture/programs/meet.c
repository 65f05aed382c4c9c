/* What recording costs one rank, and whom it reaches through each kind of operation that ranks do
 * together: for --virtual-time with a --probe-delay. Rank 0 and 1 of two; functions have probes.
 * The lines that the test looks at end with a name. */
#include <mpi.h>
#include <time.h>

#define PLAIN   __attribute__((no_instrument_function))
#define IGNORED MPI_STATUS_IGNORE

enum { VISITS = 20 };

static int rank, data[2], got[2];

/* Two records: they take the time that is asked for, as often as that. */
static void __attribute__((noinline)) probed(void)
{
	__asm__ volatile("");
}

/* This rank comes last, after what its probes cost it. */
PLAIN static void last(int who)
{
	for (int i = 0; rank == who && i < VISITS; i++)
		probed();
	if (rank == who)
		nanosleep(&(struct timespec){ .tv_nsec = 250000000 }, NULL);
}

PLAIN static void prefixes(void)
{
	last(0);
	MPI_Scan(data, got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); // scan
	last(0);
	MPI_Exscan(data, got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); // exscan
	/* The one above is waited for by no rank. */
	last(1);
	MPI_Scan(data, got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); // above
	MPI_Barrier(MPI_COMM_WORLD); /* Both have the same intrusion again. */
}

/* The start counts, not what the rank does until it waits. */
PLAIN static void requests(void)
{
	MPI_Request r;

	last(0);
	MPI_Iallreduce(data, got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r); // iallreduce_start
	MPI_Wait(&r, IGNORED);                                              // iallreduce
	last(0);
	MPI_Ibcast(data, 1, MPI_INT, 0, MPI_COMM_WORLD, &r); // ibcast_start
	MPI_Wait(&r, IGNORED);                               // ibcast
	last(0);
	MPI_Iscan(data, got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r); // iscan_start
	MPI_Wait(&r, IGNORED);                                         // iscan
}

/* Starts may come in another order than on other ranks. */
#if MPI_VERSION >= 4
PLAIN static void persistent(void)
{
	MPI_Request first, second;

	MPI_Allreduce_init(data, got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &first);
	MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &second);
	MPI_Start(&first);
	MPI_Wait(&first, IGNORED);
	last(0);
	MPI_Start(&first);         // allreduce_again
	MPI_Wait(&first, IGNORED); // allreduce_done
	last(0);
	MPI_Start(&second);         // barrier_start
	MPI_Wait(&second, IGNORED); // barrier_done
	MPI_Request_free(&first);
	MPI_Request_free(&second);
}
#endif

PLAIN static void neighbours(void)
{
	int size = 2, periodic = 1;
	MPI_Request r;
	MPI_Comm ring;

	last(0);
	MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring); // cart
	last(0);
	MPI_Neighbor_allgather(data, 1, MPI_INT, got, 1, MPI_INT, ring); // neighbour
	last(0);
	MPI_Ineighbor_allgather(data, 1, MPI_INT, got, 1, MPI_INT, ring, &r); // ineighbour_start
	MPI_Wait(&r, IGNORED);                                                // ineighbour
	MPI_Comm_free(&ring);
}

PLAIN static void communicators(void)
{
	MPI_Comm made;

	last(0);
	MPI_Comm_dup(MPI_COMM_WORLD, &made); // dup
	last(0);
	MPI_Comm_split(made, 0, rank, &made); // split
}

PLAIN static void windows(void)
{
	const int other = 1 - rank;
	MPI_Group world, group;
	MPI_Win win;

	last(0);
	MPI_Win_create(got, sizeof got, sizeof *got, MPI_INFO_NULL, MPI_COMM_WORLD, &win); // create
	last(0);
	MPI_Win_fence(0, win); // fence
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &other, &group);
	/* Rank 1 writes to rank 0, which posts late. */
	last(0);
	if (rank == 0) {
		MPI_Win_post(group, 0, win); // post
		MPI_Win_wait(win);
	} else {
		MPI_Win_start(group, 0, win);
		MPI_Put(data, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_complete(win); // complete
	}
	/* And completes late. */
	if (rank == 0) {
		MPI_Win_post(group, 0, win);
		MPI_Win_wait(win); // wait
	} else {
		MPI_Win_start(group, 0, win);
		MPI_Put(data, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		last(1);
		MPI_Win_complete(win); // done
	}
	MPI_Group_free(&group);
	MPI_Group_free(&world);
	MPI_Win_free(&win);
}

PLAIN static void probes(void)
{
	int seen = 0;

	last(0);
	if (rank == 0) {
		MPI_Send(data, 1, MPI_INT, 1, 5, MPI_COMM_WORLD); // probe_send
	} else {
		MPI_Probe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, IGNORED); // probe
		MPI_Recv(got, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, IGNORED);
	}
	last(0);
	if (rank == 0) {
		MPI_Send(data, 1, MPI_INT, 1, 6, MPI_COMM_WORLD); // iprobe_send
	} else {
		while (!seen)
			MPI_Iprobe(0, 6, MPI_COMM_WORLD, &seen, IGNORED); // iprobe
		MPI_Recv(got, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, IGNORED);
	}
}

PLAIN int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	prefixes();
	requests();
#if MPI_VERSION >= 4
	persistent();
#endif
	neighbours();
	communicators();
	windows();
	probes();
	MPI_Finalize();
	return 0;
}
