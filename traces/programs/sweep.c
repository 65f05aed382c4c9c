/* sweep: a pipelined sweep over a 2-D grid of ranks, from each of its four corners in turn (as transport codes do).
 *
 * To see: wave fronts. A rank may work on a block when its neighbours upstream have sent their edges; work runs
 * diagonally across the grid, and the corner opposite to the start is idle while the pipeline fills. Four sweeps, four
 * directions of arrows; the waits grow with the distance from the corner.
 *
 *	mpiexec -n 4 sweep [blocks=6] [edge=256] [work=20000]	(edge: doubles in a message) */
#include "tally.h"

enum { CORNERS = 4 };

static volatile double sink;

struct place {
	MPI_Comm comm;
	int near[2]
		[2]; /* [dimension][0 lower, 1 higher]; the grid is not reordered: world ranks too */
	int blocks, edge;
	long work;
	double *buffer;
};

static void compute(long amount)
{
	double x = 1;

	for (long i = 0; i < amount; i++)
		x = x * 1.0000001 + 1e-9;
	sink = x;
}

static void get_edge(const struct place *p, int from, int tag)
{
	if (from == MPI_PROC_NULL)
		return;
	MPI_Recv(p->buffer, p->edge, MPI_DOUBLE, from, tag, p->comm, MPI_STATUS_IGNORE);
	tally_received(from, tag, 8L * p->edge);
}

static void put_edge(const struct place *p, int to, int tag)
{
	if (to == MPI_PROC_NULL)
		return;
	MPI_Send(p->buffer, p->edge, MPI_DOUBLE, to, tag, p->comm);
	tally_sent(to, tag, 8L * p->edge);
}

/* The bits of the corner say, by dimension, at which end the sweep starts. */
static void sweep_from(const struct place *p, int corner)
{
	const int x = corner & 1, y = corner >> 1 & 1;

	for (int block = 0; block < p->blocks; block++) {
		get_edge(p, p->near[0][x], 10 + corner);
		get_edge(p, p->near[1][y], 20 + corner);
		compute(p->work);
		put_edge(p, p->near[0][!x], 10 + corner);
		put_edge(p, p->near[1][!y], 20 + corner);
	}
}

int main(int argc, char **argv)
{
	struct place p = { .blocks = argc > 1 ? atoi(argv[1]) : 6,
			   .edge = argc > 2 ? atoi(argv[2]) : 256,
			   .work = argc > 3 ? atol(argv[3]) : 20000 };
	int dims[2] = { 0, 0 }, periods[2] = { 0, 0 }, rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	tally_begin(rank);
	p.buffer = calloc((size_t)p.edge + 1, sizeof *p.buffer);
	MPI_Dims_create(size, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &p.comm);
	for (int d = 0; d < 2; d++)
		MPI_Cart_shift(p.comm, d, 1, &p.near[d][0], &p.near[d][1]);
	for (int corner = 0; corner < CORNERS; corner++)
		sweep_from(&p, corner);
	MPI_Barrier(MPI_COMM_WORLD);
	tally_collective("MPI_Barrier", -1, 0, 0);
	free(p.buffer);
	MPI_Comm_free(&p.comm);
	tally_end("sweep", rank);
	MPI_Finalize();
	return 0;
}
