/* Collectives of all ranks: blocking, nonblocking, persistent, and with large counts. */
#include "inject.h"

#define WORLD MPI_COMM_WORLD
#define TO    inject.to, NUMBERS, MPI_INT
#define FROM  inject.from, NUMBERS, MPI_INT
#define ARGS(...) __VA_ARGS__

static const int counts[RANKS] = { NUMBERS, NUMBERS, NUMBERS, NUMBERS };
static const int places[RANKS] = { 0, NUMBERS, 2 * NUMBERS, 3 * NUMBERS };
static const MPI_Datatype types[RANKS] = { MPI_INT, MPI_INT, MPI_INT, MPI_INT };
#if MPI_VERSION >= 4
static const MPI_Count counts_c[RANKS] = { NUMBERS, NUMBERS, NUMBERS, NUMBERS };
static const MPI_Aint places_c[RANKS] = { 0, NUMBERS, 2 * NUMBERS, 3 * NUMBERS };
#endif

/* To the late rank and from it alone: the others do not wait for each other. */
static void some(int *sent)
{
	for (int i = 0; i < RANKS; i++)
		sent[i] = inject.rank == LATE || i == LATE ? NUMBERS : 0;
}

static void alltoallv_some(void)
{
	int sent[RANKS];

	some(sent);
	inject_begin();
	MPI_Alltoallv(inject.to, sent, places, MPI_INT, inject.from, sent, places, MPI_INT, WORLD);
	inject_end();
}

static void alltoallw_some(void)
{
	int sent[RANKS];

	some(sent);
	inject_begin();
	MPI_Alltoallw(inject.to, sent, places, types, inject.from, sent, places, types, WORLD);
	inject_end();
}

/* The late rank and rank 0 exchange; the others have nothing to do. */
static void alltoallv_two(void)
{
	int sent[RANKS] = { 0 };

	if (inject.rank < 2)
		sent[1 - inject.rank] = NUMBERS;
	inject_begin();
	MPI_Alltoallv(inject.to, sent, places, MPI_INT, inject.from, sent, places, MPI_INT, WORLD);
	inject_end();
}

#define BLOCKING(Name, name, args)          \
	static void name(void)              \
	{                                   \
		inject_begin();             \
		MPI_##Name(args);           \
		inject_end();               \
	}
#define NONBLOCKING(Iname, name, args)                \
	static void i##name(void)                     \
	{                                             \
		inject_begin();                       \
		MPI_##Iname(args, &inject.request);   \
		inject_complete(&inject.request);     \
	}
#if MPI_VERSION >= 4
#define PERSISTENT(Name, name, args)                                          \
	static void name##_init(void)                                         \
	{                                                                     \
		MPI_##Name##_init(args, MPI_INFO_NULL, &inject.request);      \
		inject_begin();                                               \
		MPI_Start(&inject.request);                                   \
		inject_complete(&inject.request);                             \
		MPI_Request_free(&inject.request);                            \
	}
#define LARGE_COUNTS(Name, name, args)      \
	static void name##_c(void)          \
	{                                   \
		inject_begin();             \
		MPI_##Name##_c(args);       \
		inject_end();               \
	}
#else
#define PERSISTENT(Name, name, args)
#define LARGE_COUNTS(Name, name, args)
#endif
#define FORMS(Name, Iname, name, args)                                                            \
	BLOCKING(Name, name, ARGS(args))                                                          \
	NONBLOCKING(Iname, name, ARGS(args)) PERSISTENT(Name, name, ARGS(args))
/* The arguments with large counts may have other arrays. */
#define ALL(Name, Iname, name, args, args_c)  \
	FORMS(Name, Iname, name, ARGS(args)) \
	LARGE_COUNTS(Name, name, ARGS(args_c))
#define SAME(Name, Iname, name, args) ALL(Name, Iname, name, ARGS(args), ARGS(args))

#define SUM MPI_SUM, WORLD
FORMS(Barrier, Ibarrier, barrier, ARGS(WORLD))
SAME(Bcast, Ibcast, bcast, ARGS(TO, LATE, WORLD))
SAME(Scatter, Iscatter, scatter, ARGS(TO, FROM, LATE, WORLD))
ALL(Scatterv, Iscatterv, scatterv, ARGS(inject.to, counts, places, MPI_INT, FROM, LATE, WORLD),
    ARGS(inject.to, counts_c, places_c, MPI_INT, FROM, LATE, WORLD))
SAME(Gather, Igather, gather, ARGS(TO, FROM, 0, WORLD))
ALL(Gatherv, Igatherv, gatherv, ARGS(TO, inject.from, counts, places, MPI_INT, 0, WORLD),
    ARGS(TO, inject.from, counts_c, places_c, MPI_INT, 0, WORLD))
SAME(Reduce, Ireduce, reduce, ARGS(inject.to, FROM, MPI_SUM, 0, WORLD))
SAME(Allreduce, Iallreduce, allreduce, ARGS(inject.to, FROM, SUM))
SAME(Allgather, Iallgather, allgather, ARGS(TO, FROM, WORLD))
ALL(Allgatherv, Iallgatherv, allgatherv, ARGS(TO, inject.from, counts, places, MPI_INT, WORLD),
    ARGS(TO, inject.from, counts_c, places_c, MPI_INT, WORLD))
SAME(Alltoall, Ialltoall, alltoall, ARGS(TO, FROM, WORLD))
ALL(Alltoallv, Ialltoallv, alltoallv,
    ARGS(inject.to, counts, places, MPI_INT, inject.from, counts, places, MPI_INT, WORLD),
    ARGS(inject.to, counts_c, places_c, MPI_INT, inject.from, counts_c, places_c, MPI_INT, WORLD))
ALL(Alltoallw, Ialltoallw, alltoallw,
    ARGS(inject.to, counts, places, types, inject.from, counts, places, types, WORLD),
    ARGS(inject.to, counts_c, places_c, types, inject.from, counts_c, places_c, types, WORLD))
ALL(Reduce_scatter, Ireduce_scatter, reduce_scatter,
    ARGS(inject.to, inject.from, counts, MPI_INT, SUM),
    ARGS(inject.to, inject.from, counts_c, MPI_INT, SUM))
SAME(Reduce_scatter_block, Ireduce_scatter_block, reduce_scatter_block,
     ARGS(inject.to, FROM, SUM))
SAME(Scan, Iscan, scan, ARGS(inject.to, FROM, SUM))
SAME(Exscan, Iexscan, exscan, ARGS(inject.to, FROM, SUM))

#define TWO(Name, Iname, name, waiters, metric)              \
	{ "MPI_" Name, name, waiters, metric },              \
	{ "MPI_" Iname "/Wait", i##name, waiters, metric },
#if MPI_VERSION >= 4
#define THREE(Name, Iname, name, waiters, metric)  \
	TWO(Name, Iname, name, waiters, metric)    \
	{ "MPI_" Name "_init", name##_init, waiters, metric },
#define ROWS(Name, Iname, name, waiters, metric)   \
	THREE(Name, Iname, name, waiters, metric)  \
	{ "MPI_" Name "_c", name##_c, waiters, metric },
#else
#define THREE TWO
#define ROWS  TWO
#endif

const struct inject_row inject_collectives[] = {
	THREE("Barrier", "Ibarrier", barrier, ALL_OTHERS, "mpi_barrier_wait")
	ROWS("Bcast", "Ibcast", bcast, ALL_OTHERS, "mpi_latebroadcast")
	ROWS("Scatter", "Iscatter", scatter, ALL_OTHERS, "mpi_latebroadcast")
	ROWS("Scatterv", "Iscatterv", scatterv, ALL_OTHERS, "mpi_latebroadcast")
	ROWS("Gather", "Igather", gather, FIRST, "mpi_earlyreduce")
	ROWS("Gatherv", "Igatherv", gatherv, FIRST, "mpi_earlyreduce")
	ROWS("Reduce", "Ireduce", reduce, FIRST, "mpi_earlyreduce")
	ROWS("Allreduce", "Iallreduce", allreduce, ALL_OTHERS, "mpi_wait_nxn")
	ROWS("Allgather", "Iallgather", allgather, ALL_OTHERS, "mpi_wait_nxn")
	ROWS("Allgatherv", "Iallgatherv", allgatherv, ALL_OTHERS, "mpi_wait_nxn")
	ROWS("Alltoall", "Ialltoall", alltoall, ALL_OTHERS, "mpi_wait_nxn")
	ROWS("Alltoallv", "Ialltoallv", alltoallv, ALL_OTHERS, "mpi_wait_nxn")
	ROWS("Alltoallw", "Ialltoallw", alltoallw, ALL_OTHERS, "mpi_wait_nxn")
	{ "MPI_Alltoallv/some", alltoallv_some, ALL_OTHERS, "mpi_wait_nxn" },
	{ "MPI_Alltoallw/some", alltoallw_some, ALL_OTHERS, "mpi_wait_nxn" },
	{ "MPI_Alltoallv/two", alltoallv_two, FIRST, "mpi_wait_nxn" },
	ROWS("Reduce_scatter", "Ireduce_scatter", reduce_scatter, ALL_OTHERS, "mpi_wait_nxn")
	ROWS("Reduce_scatter_block", "Ireduce_scatter_block", reduce_scatter_block, ALL_OTHERS,
	     "mpi_wait_nxn")
	ROWS("Scan", "Iscan", scan, ABOVE, "mpi_earlyscan")
	ROWS("Exscan", "Iexscan", exscan, ABOVE, "mpi_earlyscan")
	{ 0 },
};
