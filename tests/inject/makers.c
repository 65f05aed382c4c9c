/* Operations that make communicators. */
#include "inject.h"

#include <tview.h>

#define WORLD MPI_COMM_WORLD

static const int around[2] = { 1, 0 };

#define MAKES(name, call)                      \
	static void name(void)                 \
	{                                      \
		MPI_Comm made = MPI_COMM_NULL; \
		inject_begin();                \
		call;                          \
		inject_end();                  \
		if (made != MPI_COMM_NULL)     \
			MPI_Comm_free(&made);  \
	}

static void make_of_group(MPI_Comm *made, int alone)
{
	MPI_Group group;

	MPI_Comm_group(WORLD, &group);
	if (alone)
		MPI_Comm_create_group(WORLD, group, 5, made);
	else
		MPI_Comm_create(WORLD, group, made);
	MPI_Group_free(&group);
}

static void make_graph(MPI_Comm *made)
{
	const int index[RANKS] = { 2, 4, 6, 8 }, edges[2 * RANKS] = { 1, 3, 0, 2, 1, 3, 0, 2 };

	MPI_Graph_create(WORLD, RANKS, index, edges, 0, made);
}

static void make_distributed(MPI_Comm *made, int adjacent)
{
	const int next = (inject.rank + 1) % RANKS, before = (inject.rank + RANKS - 1) % RANKS;
	const int one = 1;

	if (adjacent)
		MPI_Dist_graph_create_adjacent(WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next,
					       MPI_UNWEIGHTED, MPI_INFO_NULL, 0, made);
	else
		MPI_Dist_graph_create(WORLD, 1, &inject.rank, &one, &next, MPI_UNWEIGHTED,
				      MPI_INFO_NULL, 0, made);
}

MAKES(dup, MPI_Comm_dup(WORLD, &made))
MAKES(dup_with_info, MPI_Comm_dup_with_info(WORLD, MPI_INFO_NULL, &made))
MAKES(idup, MPI_Comm_idup(WORLD, &made, &inject.request); inject_complete(&inject.request))
MAKES(idup_all, MPI_Comm_idup(WORLD, &made, &inject.request); inject_waits();
      MPI_Waitall(1, &inject.request, inject.status))
MAKES(split, MPI_Comm_split(WORLD, inject.rank % 2, 0, &made))
MAKES(split_type, MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made))
MAKES(create, make_of_group(&made, 0))
MAKES(create_group, make_of_group(&made, 1))
MAKES(cart, MPI_Cart_create(WORLD, 2, (int[]){ 2, 2 }, around, 0, &made))
MAKES(cart_sub, MPI_Cart_sub(inject.ring, around, &made))
MAKES(graph, make_graph(&made))
MAKES(distributed, make_distributed(&made, 0))
MAKES(adjacent, make_distributed(&made, 1))

/* Between even and odd ranks. */
static void between(int merges)
{
	MPI_Comm both, merged = MPI_COMM_NULL;

	if (merges)
		tview_begin("setup");
	else
		inject_begin();
	MPI_Intercomm_create(inject.half, 0, WORLD, 1 - inject.rank % 2, 9, &both);
	if (!merges)
		inject_end();
	if (merges) {
		tview_end("setup");
		inject_begin();
		MPI_Intercomm_merge(both, 0, &merged);
		inject_end();
		MPI_Comm_free(&merged);
	}
	MPI_Comm_free(&both);
}

static void intercomm(void)
{
	between(0);
}

static void merge(void)
{
	between(1);
}

#define WAIT "mpi_comm_wait"
const struct inject_row inject_makers[] = {
	{ "MPI_Comm_dup", dup, ALL_OTHERS, WAIT },
	{ "MPI_Comm_dup_with_info", dup_with_info, ALL_OTHERS, WAIT },
	{ "MPI_Comm_idup/Wait", idup, ALL_OTHERS, WAIT },
	{ "MPI_Comm_idup/Waitall", idup_all, ALL_OTHERS, WAIT },
	{ "MPI_Comm_split", split, ALL_OTHERS, WAIT },
	{ "MPI_Comm_split_type", split_type, ALL_OTHERS, WAIT },
	{ "MPI_Comm_create", create, ALL_OTHERS, WAIT },
	{ "MPI_Comm_create_group", create_group, ALL_OTHERS, WAIT },
	{ "MPI_Cart_create", cart, ALL_OTHERS, WAIT },
	{ "MPI_Cart_sub", cart_sub, ALL_OTHERS, WAIT },
	{ "MPI_Graph_create", graph, ALL_OTHERS, WAIT },
	{ "MPI_Dist_graph_create", distributed, ALL_OTHERS, WAIT },
	{ "MPI_Dist_graph_create_adjacent", adjacent, ALL_OTHERS, WAIT },
	{ "MPI_Intercomm_create", intercomm, ALL_OTHERS, WAIT },
	{ "MPI_Intercomm_merge", merge, ALL_OTHERS, WAIT },
	{ 0 },
};
