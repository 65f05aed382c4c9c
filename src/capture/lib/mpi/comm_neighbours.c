/* The neighbours of a rank in a communicator with a topology, in the order that the neighbourhood
 * collectives of MPI 3 have (section 7.6 of the standard). */
#include "capture/lib/mpi/comms.h"

#include <stdlib.h>

/* Room for them; false: no memory. */
static bool make(struct tv_comm *comm, int in, int out)
{
	comm->neighbours = calloc((size_t)(in + out) + 1, sizeof *comm->neighbours);
	comm->in = comm->neighbours ? in : 0;
	comm->out = comm->neighbours ? out : 0;
	return comm->neighbours != NULL;
}

/* Those that it receives from are those that it sends to. */
static void copy_ways(struct tv_comm *comm)
{
	for (int i = 0; i < comm->in; i++)
		comm->neighbours[comm->in + i] = comm->neighbours[i];
}

static void of_grid(struct tv_comm *comm, MPI_Comm handle)
{
	int dims = 0;

	if (tv_mpi.Cartdim_get(handle, &dims) != MPI_SUCCESS || !make(comm, 2 * dims, 2 * dims))
		return;
	for (int d = 0; d < dims; d++)
		tv_mpi.Cart_shift(handle, d, 1, &comm->neighbours[2 * d],
				  &comm->neighbours[2 * d + 1]);
	copy_ways(comm);
}

static void of_graph(struct tv_comm *comm, MPI_Comm handle)
{
	int n = 0;

	if (tv_mpi.Graph_neighbors_count(handle, comm->rank, &n) != MPI_SUCCESS ||
	    !make(comm, n, n))
		return;
	tv_mpi.Graph_neighbors(handle, comm->rank, n, comm->neighbours);
	copy_ways(comm);
}

static void of_distributed_graph(struct tv_comm *comm, MPI_Comm handle)
{
	int in = 0, out = 0, weighted = 0, *weights;

	if (tv_mpi.Dist_graph_neighbors_count(handle, &in, &out, &weighted) != MPI_SUCCESS)
		return;
	weights = calloc((size_t)(in + out) + 1, sizeof *weights);
	if (weights && make(comm, in, out))
		tv_mpi.Dist_graph_neighbors(handle, in, comm->neighbours, weights, out,
					    comm->neighbours + in, weights + in);
	free(weights);
}

void tv_comm_sources(struct tv_thread *t, struct tv_comm *comm, const struct tv_neighbours *near)
{
	int32_t from[TV_SOURCES_MOST];
	size_t n = 0;

	if (comm->carted || tv.statistics || !near->from)
		return;
	comm->carted = true;
	for (int i = 0; i < near->in; i++) {
		if (near->from[i] < 0)
			continue;
		if (n == TV_SOURCES_MOST)
			return;
		from[n++] = near->from[i];
	}
	tv_define(t, TV_DEF_SOURCES, comm->id, from, n * sizeof *from, NULL, 0);
}

struct tv_neighbours tv_comm_neighbours(struct tv_comm *comm)
{
	const MPI_Comm handle = tv_handle_of(comm->handle);
	int kind = MPI_UNDEFINED;

	if (!comm->neighbours && tv_mpi.Topo_test(handle, &kind) == MPI_SUCCESS) {
		if (kind == MPI_CART)
			of_grid(comm, handle);
		else if (kind == MPI_GRAPH)
			of_graph(comm, handle);
		else if (kind == MPI_DIST_GRAPH)
			of_distributed_graph(comm, handle);
	}
	if (!comm->neighbours)
		return (struct tv_neighbours){ 0, 0, NULL, NULL };
	return (struct tv_neighbours){ comm->in, comm->out, comm->neighbours,
				       comm->neighbours + comm->in };
}
