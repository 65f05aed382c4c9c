/* Neighbourhood collectives on a grid, a ring, and on a distributed graph with the same edges. */
#include "inject.h"

#define TO        inject.to, NUMBERS, MPI_INT
#define FROM      inject.from, NUMBERS, MPI_INT
#define ARGS(...) __VA_ARGS__

static const int counts[2] = { NUMBERS, NUMBERS }, places[2] = { 0, NUMBERS };
static const MPI_Aint far[2] = { 0, NUMBERS * 4 };
static const MPI_Datatype types[2] = { MPI_INT, MPI_INT };

#define BLOCKING(Name, name, comm, args)          \
	static void name(void)                    \
	{                                         \
		inject_begin();                   \
		MPI_Neighbor_##Name(args, comm);  \
		inject_end();                     \
	}
#define NONBLOCKING(Name, name, comm, args)                              \
	static void name(void)                                           \
	{                                                                \
		inject_begin();                                          \
		MPI_Ineighbor_##Name(args, comm, &inject.request);       \
		inject_complete(&inject.request);                        \
	}
#define PERSISTENT(Name, name, comm, args)                                                 \
	static void name(void)                                                             \
	{                                                                                  \
		MPI_Neighbor_##Name##_init(args, comm, MPI_INFO_NULL, &inject.request);    \
		inject_begin();                                                            \
		MPI_Start(&inject.request);                                                \
		inject_complete(&inject.request);                                          \
		MPI_Request_free(&inject.request);                                         \
	}
#define BOTH(Name, args)                                               \
	BLOCKING(Name, grid_##Name, inject.ring, ARGS(args))           \
	BLOCKING(Name, graph_##Name, inject.graph, ARGS(args))         \
	NONBLOCKING(Name, grid_i##Name, inject.ring, ARGS(args))       \
	NONBLOCKING(Name, graph_i##Name, inject.graph, ARGS(args))

BOTH(allgather, ARGS(TO, FROM))
BOTH(allgatherv, ARGS(TO, inject.from, counts, places, MPI_INT))
BOTH(alltoall, ARGS(TO, FROM))
BOTH(alltoallv, ARGS(inject.to, counts, places, MPI_INT, inject.from, counts, places, MPI_INT))
BOTH(alltoallw, ARGS(inject.to, counts, far, types, inject.from, counts, far, types))
#if MPI_VERSION >= 4
PERSISTENT(allgather, grid_persistent, inject.ring, ARGS(TO, FROM))
PERSISTENT(alltoall, graph_persistent, inject.graph, ARGS(TO, FROM))
#endif

#define ROWS(Name, name)                                                                     \
	{ "MPI_Neighbor_" Name "/grid", grid_##name, BESIDE, "mpi_wait_nxn" },               \
	{ "MPI_Ineighbor_" Name "/grid", grid_i##name, BESIDE, "mpi_wait_nxn" },             \
	{ "MPI_Neighbor_" Name "/graph", graph_##name, BESIDE, "mpi_wait_nxn" },             \
	{ "MPI_Ineighbor_" Name "/graph", graph_i##name, BESIDE, "mpi_wait_nxn" },

const struct inject_row inject_neighbours[] = {
	ROWS("allgather", allgather)
	ROWS("allgatherv", allgatherv)
	ROWS("alltoall", alltoall)
	ROWS("alltoallv", alltoallv)
	ROWS("alltoallw", alltoallw)
#if MPI_VERSION >= 4
	{ "MPI_Neighbor_allgather_init/grid", grid_persistent, BESIDE, "mpi_wait_nxn" },
	{ "MPI_Neighbor_alltoall_init/graph", graph_persistent, BESIDE, "mpi_wait_nxn" },
#endif
	{ 0 },
};
