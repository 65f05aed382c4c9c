/* stencil: 2-D Jacobi iteration on a Cartesian grid of ranks, halos by Isend, Irecv and Waitall.
 *
 * To see: a regular pattern, step after step: exchange() with eight requests and one MPI_Waitall, then relax(), and every
 * few steps an MPI_Allreduce of the residual. Ranks in the first column of the grid have twice the points: the others
 * wait for them. The trace knows the grid (Cartesian topology).
 *
 *	mpiexec -n 4 stencil [points=64] [steps=20]	(points along one side of a rank's part) */
#include <math.h>

#include "tally.h"

enum { TAG_ROW = 1, TAG_COLUMN = 2, CHECK_EVERY = 5 };

struct grid {
	MPI_Comm comm;
	int near[4],
		world[4]; /* west, east, north, south: rank in the grid, in the world (for the account) */
	int rows, columns; /* inner points */
	double *now, *next;
	MPI_Datatype column;
};

static __attribute__((no_instrument_function)) double *at(double *field, const struct grid *g,
							  int row, int column)
{
	return field + (size_t)row * (size_t)(g->columns + 2) + column;
}

static void exchange(struct grid *g)
{
	const int tag[4] = { TAG_COLUMN, TAG_COLUMN, TAG_ROW, TAG_ROW };
	double *const inner[4] = { at(g->now, g, 1, 1), at(g->now, g, 1, g->columns),
				   at(g->now, g, 1, 1), at(g->now, g, g->rows, 1) };
	double *const halo[4] = { at(g->now, g, 1, 0), at(g->now, g, 1, g->columns + 1),
				  at(g->now, g, 0, 1), at(g->now, g, g->rows + 1, 1) };
	MPI_Request requests[8];

	for (int side = 0; side < 4; side++) {
		const MPI_Datatype type = side < 2 ? g->column : MPI_DOUBLE;
		const int count = side < 2 ? 1 : g->columns;
		MPI_Irecv(halo[side], count, type, g->near[side], tag[side], g->comm,
			  &requests[side]);
		MPI_Isend(inner[side], count, type, g->near[side], tag[side], g->comm,
			  &requests[4 + side]);
	}
	MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
	for (int side = 0; side < 4; side++) {
		const long bytes = 8L * (side < 2 ? g->rows : g->columns);
		if (g->near[side] == MPI_PROC_NULL)
			continue;
		tally_sent(g->world[side], tag[side], bytes);
		tally_received(g->world[side], tag[side], bytes);
	}
}

static double relax(struct grid *g)
{
	double residual = 0, *swap;

	for (int i = 1; i <= g->rows; i++) {
		for (int j = 1; j <= g->columns; j++) {
			*at(g->next, g, i, j) =
				0.25 * (*at(g->now, g, i - 1, j) + *at(g->now, g, i + 1, j) +
					*at(g->now, g, i, j - 1) + *at(g->now, g, i, j + 1));
			residual += fabs(*at(g->next, g, i, j) - *at(g->now, g, i, j));
		}
	}
	swap = g->now;
	g->now = g->next;
	g->next = swap;
	return residual;
}

static double check(double residual, int size)
{
	double all;

	MPI_Allreduce(&residual, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	tally_collective("MPI_Allreduce", -1, 8L * size, 8L * size);
	return all;
}

static void set_up(struct grid *g, int points, int size)
{
	int dims[2] = { 0, 0 }, periods[2] = { 0, 0 }, coords[2], rank;
	MPI_Group world, group;

	MPI_Dims_create(size, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &g->comm);
	MPI_Comm_rank(g->comm, &rank);
	MPI_Cart_coords(g->comm, rank, 2, coords);
	MPI_Cart_shift(g->comm, 1, 1, &g->near[0], &g->near[1]);
	MPI_Cart_shift(g->comm, 0, 1, &g->near[2], &g->near[3]);
	PMPI_Comm_group(MPI_COMM_WORLD, &world);
	PMPI_Comm_group(g->comm, &group);
	PMPI_Group_translate_ranks(group, 4, g->near, world, g->world);
	PMPI_Group_free(&world);
	PMPI_Group_free(&group);
	g->rows = points;
	g->columns = coords[1] == 0 ? points * 2 : points;
	g->now = calloc((size_t)(g->rows + 2) * (size_t)(g->columns + 2), sizeof *g->now);
	g->next = calloc((size_t)(g->rows + 2) * (size_t)(g->columns + 2), sizeof *g->next);
	for (int j = 0; j < g->columns + 2; j++)
		*at(g->now, g, 0, j) = *at(g->next, g, 0, j) = coords[0] == 0;
	MPI_Type_vector(g->rows, 1, g->columns + 2, MPI_DOUBLE, &g->column);
	MPI_Type_commit(&g->column);
}

int main(int argc, char **argv)
{
	const int points = argc > 1 ? atoi(argv[1]) : 64;
	const int steps = argc > 2 ? atoi(argv[2]) : 20;
	double residual = 0, all = 0;
	struct grid g;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	tally_begin(rank);
	set_up(&g, points, size);
	for (int step = 1; step <= steps; step++) {
		exchange(&g);
		residual = relax(&g);
		if (step % CHECK_EVERY == 0)
			all = check(residual, size);
	}
	if (rank == 0)
		printf("residual %.6f\n", all);
	free(g.now);
	free(g.next);
	MPI_Type_free(&g.column);
	MPI_Comm_free(&g.comm);
	tally_end("stencil", rank);
	MPI_Finalize();
	return 0;
}
