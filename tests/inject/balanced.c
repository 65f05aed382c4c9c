/* Ten programs in which all ranks do the same: no rank is late, and there is no cause to be named.
 * Work is nanosleep(), so that ranks that share a core do not make each other late. */
#include "inject.h"

#include <time.h>
#include <tview.h>

enum { STEPS = 40, WORK = 2000000 };

#define WORLD MPI_COMM_WORLD

static void work(long ns)
{
	const struct timespec pause = { .tv_nsec = ns };

	tview_begin("work");
	nanosleep(&pause, NULL);
	tview_end("work");
}

static void reduce_all(void)
{
	MPI_Allreduce(inject.to, inject.from, NUMBERS, MPI_INT, MPI_SUM, WORLD);
}

static void exchange(void)
{
	MPI_Request requests[4];
	MPI_Status statuses[4];
	const int left = (inject.rank + RANKS - 1) % RANKS, right = (inject.rank + 1) % RANKS;

	MPI_Irecv(inject.from, NUMBERS, MPI_INT, left, 1, WORLD, &requests[0]);
	MPI_Irecv(inject.from + NUMBERS, NUMBERS, MPI_INT, right, 2, WORLD, &requests[1]);
	MPI_Isend(inject.to, NUMBERS, MPI_INT, right, 1, WORLD, &requests[2]);
	MPI_Isend(inject.to + NUMBERS, NUMBERS, MPI_INT, left, 2, WORLD, &requests[3]);
	MPI_Waitall(4, requests, statuses);
}

#define SHAPE(name, body)                              \
	static void name(void)                         \
	{                                              \
		for (int i = 0; i < STEPS; i++) {      \
			body;                          \
		}                                      \
	}

SHAPE(reduction, work(WORK); reduce_all())
SHAPE(halo, work(WORK); exchange())
SHAPE(ring, work(WORK);
      MPI_Sendrecv(inject.to, NUMBERS, MPI_INT, (inject.rank + 1) % RANKS, 1, inject.from, NUMBERS,
		   MPI_INT, (inject.rank + RANKS - 1) % RANKS, 1, WORLD, MPI_STATUS_IGNORE))
SHAPE(barrier, work(WORK); MPI_Barrier(WORLD))
/* From 0.975 to 1.025 times the work, another rank each time. */
SHAPE(scatter, work(WORK + WORK / 80 * ((i * 7 + inject.rank * 3) % 5 - 2)); reduce_all())
SHAPE(several, work(WORK / 4); exchange(); work(WORK / 4); reduce_all(); work(WORK / 2);
      MPI_Bcast(inject.to, NUMBERS, MPI_INT, 0, WORLD))
SHAPE(all_to_all, work(WORK);
      MPI_Alltoall(inject.to, NUMBERS, MPI_INT, inject.from, NUMBERS, MPI_INT, WORLD))
SHAPE(broadcast, work(WORK); MPI_Bcast(inject.to, NUMBERS, MPI_INT, i % RANKS, WORLD))
SHAPE(nested, for (int k = 0; k < 4; k++) { work(WORK / 4); exchange(); } reduce_all())
SHAPE(mixed, work(WORK); if (i % 3 == 0) reduce_all(); else exchange();
      if (i % 10 == 9) MPI_Barrier(WORLD))

const struct inject_row inject_balanced[] = {
	{ "balanced/reduction", reduction, 0, "-" },
	{ "balanced/halo", halo, 0, "-" },
	{ "balanced/ring", ring, 0, "-" },
	{ "balanced/barrier", barrier, 0, "-" },
	{ "balanced/scatter", scatter, 0, "-" },
	{ "balanced/several", several, 0, "-" },
	{ "balanced/all-to-all", all_to_all, 0, "-" },
	{ "balanced/broadcast", broadcast, 0, "-" },
	{ "balanced/nested", nested, 0, "-" },
	{ "balanced/mixed", mixed, 0, "-" },
	{ 0 },
};
