/* collectives: every blocking collective once a round, on the world and on the halves of it that MPI_Comm_split makes.
 *
 * To see: what collectives look like: where a root is waited for (Bcast, Scatter), where a root waits (Reduce, Gather),
 * where all wait for the last (Barrier, Allreduce, Alltoall), and where ranks wait for those below them (Scan). Rank r
 * comes late by r times `work`.
 *
 *	mpiexec -n 4 collectives [count=16] [rounds=1] [work=20000]	(count: ints a rank and partner) */
#include "tally.h"

static volatile double sink;

/* What a communicator of n ranks needs: buffers, and counts that differ: rank i has i + 1 units. */
struct group {
	MPI_Comm comm;
	int n, me, first; /* first: world rank of its rank 0 */
	int unit;         /* ints */
	int *from, *to;
	int *counts, *at, *equal, *equal_at, *equal_bytes_at;
	MPI_Datatype *types;
	int total; /* sum of counts */
};

static void come_late(int rank, long amount)
{
	double x = 1;

	for (long i = 0; i < amount * rank; i++)
		x = x * 1.0000001 + 1e-9;
	sink = x;
}

static void group_begin(struct group *g, MPI_Comm comm, int unit, int first)
{
	MPI_Comm_size(comm, &g->n);
	MPI_Comm_rank(comm, &g->me);
	g->comm = comm;
	g->unit = unit;
	g->first = first;
	g->counts = calloc((size_t)g->n * 5, sizeof *g->counts);
	g->at = g->counts + g->n;
	g->equal = g->at + g->n;
	g->equal_at = g->equal + g->n;
	g->equal_bytes_at = g->equal_at + g->n;
	g->types = calloc((size_t)g->n, sizeof *g->types);
	g->total = 0;
	for (int i = 0; i < g->n; i++) {
		g->counts[i] = (i + 1) * unit;
		g->at[i] = g->total;
		g->total += g->counts[i];
		g->equal[i] = unit;
		g->equal_at[i] = i * unit;
		g->equal_bytes_at[i] = i * unit * (int)sizeof(int);
		g->types[i] = MPI_INT;
	}
	g->from = calloc((size_t)g->total + 1, sizeof *g->from);
	g->to = calloc((size_t)g->total + 1, sizeof *g->to);
}

static void group_end(struct group *g)
{
	free(g->from);
	free(g->to);
	free(g->counts);
	free(g->types);
}

/* The account, in ints of this rank, worked out by hand for each call. */
static __attribute__((no_instrument_function)) void did(const struct group *g, const char *function,
							int root, long sent, long received)
{
	tally_collective(function, root < 0 ? -1 : g->first + root, 4 * sent, 4 * received);
}

static void rooted(const struct group *g, int root)
{
	const int u = g->unit, is_root = g->me == root, mine = g->counts[g->me];

	MPI_Bcast(g->from, u, MPI_INT, root, g->comm);
	did(g, "MPI_Bcast", root, is_root ? g->n * u : 0, u);
	MPI_Scatter(g->from, u, MPI_INT, g->to, u, MPI_INT, root, g->comm);
	did(g, "MPI_Scatter", root, is_root ? g->n * u : 0, u);
	MPI_Scatterv(g->from, g->counts, g->at, MPI_INT, g->to, mine, MPI_INT, root, g->comm);
	did(g, "MPI_Scatterv", root, is_root ? g->total : 0, mine);
	MPI_Gather(g->from, u, MPI_INT, g->to, u, MPI_INT, root, g->comm);
	did(g, "MPI_Gather", root, u, is_root ? g->n * u : 0);
	MPI_Gatherv(g->from, mine, MPI_INT, g->to, g->counts, g->at, MPI_INT, root, g->comm);
	did(g, "MPI_Gatherv", root, mine, is_root ? g->total : 0);
	MPI_Reduce(g->from, g->to, u, MPI_INT, MPI_SUM, root, g->comm);
	did(g, "MPI_Reduce", root, u, is_root ? g->n * u : 0);
}

static void all_to_all(const struct group *g)
{
	const int u = g->unit, n = g->n, mine = g->counts[g->me];

	MPI_Barrier(g->comm);
	did(g, "MPI_Barrier", -1, 0, 0);
	MPI_Allgather(g->from, u, MPI_INT, g->to, u, MPI_INT, g->comm);
	did(g, "MPI_Allgather", -1, n * u, n * u);
	MPI_Allgatherv(g->from, mine, MPI_INT, g->to, g->counts, g->at, MPI_INT, g->comm);
	did(g, "MPI_Allgatherv", -1, n * mine, g->total);
	MPI_Alltoall(g->from, u, MPI_INT, g->to, u, MPI_INT, g->comm);
	did(g, "MPI_Alltoall", -1, n * u, n * u);
	MPI_Alltoallv(g->from, g->equal, g->equal_at, MPI_INT, g->to, g->equal, g->equal_at,
		      MPI_INT, g->comm);
	did(g, "MPI_Alltoallv", -1, n * u, n * u);
	MPI_Alltoallw(g->from, g->equal, g->equal_bytes_at, g->types, g->to, g->equal,
		      g->equal_bytes_at, g->types, g->comm);
	did(g, "MPI_Alltoallw", -1, n * u, n * u);
	MPI_Allreduce(g->from, g->to, u, MPI_INT, MPI_MAX, g->comm);
	did(g, "MPI_Allreduce", -1, n * u, n * u);
	MPI_Allreduce(MPI_IN_PLACE, g->to, u, MPI_INT, MPI_MAX, g->comm);
	did(g, "MPI_Allreduce", -1, (n - 1) * u, (n - 1) * u);
	MPI_Reduce_scatter(g->from, g->to, g->counts, MPI_INT, MPI_SUM, g->comm);
	did(g, "MPI_Reduce_scatter", -1, g->total, n * mine);
	MPI_Reduce_scatter_block(g->from, g->to, u, MPI_INT, MPI_SUM, g->comm);
	did(g, "MPI_Reduce_scatter_block", -1, n * u, n * u);
}

static void prefix(const struct group *g)
{
	const int u = g->unit;

	MPI_Scan(g->from, g->to, u, MPI_INT, MPI_SUM, g->comm);
	did(g, "MPI_Scan", -1, (g->n - g->me) * u, (g->me + 1) * u);
	MPI_Exscan(g->from, g->to, u, MPI_INT, MPI_SUM, g->comm);
	did(g, "MPI_Exscan", -1, (g->n - g->me - 1) * u, g->me * u);
}

int main(int argc, char **argv)
{
	const int unit = argc > 1 ? atoi(argv[1]) : 16;
	const int rounds = argc > 2 ? atoi(argv[2]) : 1;
	const long work = argc > 3 ? atol(argv[3]) : 20000;
	struct group world, half;
	MPI_Comm split;
	int rank, size, lower;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	tally_begin(rank);
	lower = rank < (size + 1) / 2;
	MPI_Comm_split(MPI_COMM_WORLD, lower, 0, &split);
	group_begin(&world, MPI_COMM_WORLD, unit, 0);
	group_begin(&half, split, unit, lower ? 0 : (size + 1) / 2);
	for (int round = 0; round < rounds; round++) {
		come_late(rank, work);
		rooted(&world, round % size);
		come_late(rank, work);
		all_to_all(&world);
		prefix(&world);
		rooted(&half, half.n - 1);
		all_to_all(&half);
		prefix(&half);
	}
	group_end(&world);
	group_end(&half);
	MPI_Comm_free(&split);
	tally_end("collectives", rank);
	MPI_Finalize();
	return 0;
}
