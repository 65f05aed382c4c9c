/* Collectives between two groups, the even ranks and the odd ones, of which LATE is the first. */
#include "inject.h"

#define TO        inject.to, NUMBERS, MPI_INT
#define FROM      inject.from, NUMBERS, MPI_INT
#define BOTH      inject.both
#define ARGS(...) __VA_ARGS__

static const int counts[2] = { NUMBERS, NUMBERS }, places[2] = { 0, NUMBERS };

/* The root's rank for the other group; for its own group who it is. */
static int from_late(void)
{
	return inject.rank == LATE ? MPI_ROOT : inject.rank % 2 ? MPI_PROC_NULL : 0;
}

static int to_first(void)
{
	return inject.rank == 0 ? MPI_ROOT : inject.rank % 2 ? 0 : MPI_PROC_NULL;
}

#define BLOCKING(Name, name, args) \
	static void name(void)     \
	{                          \
		inject_begin();    \
		MPI_##Name(args);  \
		inject_end();      \
	}
#define NONBLOCKING(Iname, name, args)              \
	static void i##name(void)                   \
	{                                           \
		inject_begin();                     \
		MPI_##Iname(args, &inject.request); \
		inject_complete(&inject.request);   \
	}
#define FORMS(Name, Iname, name, args)   \
	BLOCKING(Name, name, ARGS(args)) \
	NONBLOCKING(Iname, name, ARGS(args))
#if MPI_VERSION >= 4
#define LARGE_COUNTS(Name, name, args) BLOCKING(Name##_c, name##_c, ARGS(args))
#else
#define LARGE_COUNTS(Name, name, args)
#endif
#define ALL(Name, Iname, name, args)         \
	FORMS(Name, Iname, name, ARGS(args)) \
	LARGE_COUNTS(Name, name, ARGS(args))

FORMS(Barrier, Ibarrier, barrier, ARGS(BOTH))
ALL(Bcast, Ibcast, bcast, ARGS(TO, from_late(), BOTH))
ALL(Scatter, Iscatter, scatter, ARGS(TO, FROM, from_late(), BOTH))
ALL(Gather, Igather, gather, ARGS(TO, FROM, to_first(), BOTH))
ALL(Reduce, Ireduce, reduce, ARGS(inject.to, FROM, MPI_SUM, to_first(), BOTH))
ALL(Allreduce, Iallreduce, allreduce, ARGS(inject.to, FROM, MPI_SUM, BOTH))
ALL(Allgather, Iallgather, allgather, ARGS(TO, FROM, BOTH))
ALL(Alltoall, Ialltoall, alltoall, ARGS(TO, FROM, BOTH))
FORMS(Alltoallv, Ialltoallv, alltoallv,
      ARGS(inject.to, counts, places, MPI_INT, inject.from, counts, places, MPI_INT, BOTH))

enum { OTHERS = 1 << 0 | 1 << 2 };

#define ROWS(Name, Iname, name, waiters, metric)           \
	{ "MPI_" Name "/between", name, waiters, metric }, \
	{ "MPI_" Iname "/Wait-between", i##name, waiters, metric },
#if MPI_VERSION >= 4
#define MORE(Name, Iname, name, waiters, metric) \
	ROWS(Name, Iname, name, waiters, metric) \
	{ "MPI_" Name "_c/between", name##_c, waiters, metric },
#else
#define MORE ROWS
#endif

const struct inject_row inject_between[] = {
	ROWS("Barrier", "Ibarrier", barrier, OTHERS, "mpi_barrier_wait")
	MORE("Bcast", "Ibcast", bcast, OTHERS, "mpi_latebroadcast")
	MORE("Scatter", "Iscatter", scatter, OTHERS, "mpi_latebroadcast")
	MORE("Gather", "Igather", gather, FIRST, "mpi_earlyreduce")
	MORE("Reduce", "Ireduce", reduce, FIRST, "mpi_earlyreduce")
	MORE("Allreduce", "Iallreduce", allreduce, OTHERS, "mpi_wait_nxn")
	MORE("Allgather", "Iallgather", allgather, OTHERS, "mpi_wait_nxn")
	MORE("Alltoall", "Ialltoall", alltoall, OTHERS, "mpi_wait_nxn")
	ROWS("Alltoallv", "Ialltoallv", alltoallv, OTHERS, "mpi_wait_nxn")
	{ 0 },
};
