/* One-sided communication. */
#include "inject.h"

#include <tview.h>

#define WORLD MPI_COMM_WORLD
#define SIZE  (NUMBERS * sizeof(int))

static MPI_Win make_window(void)
{
	MPI_Win win;

	MPI_Win_create(inject.from, SIZE, sizeof(int), MPI_INFO_NULL, WORLD, &win);
	return win;
}

static void put(int target, MPI_Win win)
{
	MPI_Put(inject.to, NUMBERS, MPI_INT, target, 0, NUMBERS, MPI_INT, win);
}

static void create(void)
{
	MPI_Win win;

	inject_begin();
	win = make_window();
	inject_end();
	MPI_Win_free(&win);
}

static void allocate(void)
{
	MPI_Win win;
	int *memory;

	inject_begin();
	MPI_Win_allocate(SIZE, sizeof(int), MPI_INFO_NULL, WORLD, &memory, &win);
	inject_end();
	MPI_Win_free(&win);
}

static void free_window(void)
{
	MPI_Win win = make_window();

	inject_begin();
	MPI_Win_free(&win);
	inject_end();
}

static void fence(void)
{
	MPI_Win win = make_window();

	tview_begin("setup");
	MPI_Win_fence(0, win);
	tview_end("setup");
	inject_begin();
	put((inject.rank + 1) % RANKS, win);
	inject_waits();
	MPI_Win_fence(0, win);
	inject_end();
	MPI_Win_free(&win);
}

/* Ranks 0 and LATE: one has the window, the other one puts. */
static void epochs(int late_target)
{
	MPI_Win win = make_window();
	MPI_Group world, other;
	const int partner = 1 - inject.rank;
	const int target = late_target ? LATE : 0;

	if (inject.rank < 2) {
		MPI_Comm_group(WORLD, &world);
		MPI_Group_incl(world, 1, &partner, &other);
	}
	inject_begin();
	if (inject.rank == target) {
		MPI_Win_post(other, 0, win);
		inject_waits();
		MPI_Win_wait(win);
	} else if (inject.rank < 2) {
		MPI_Win_start(other, 0, win);
		put(partner, win);
		MPI_Win_complete(win);
	}
	inject_end();
	if (inject.rank < 2) {
		MPI_Group_free(&world);
		MPI_Group_free(&other);
	}
	MPI_Win_free(&win);
}

static void late_post(void)
{
	epochs(1);
}

static void early_wait(void)
{
	epochs(0);
}

/* The late rank holds the lock of rank 3's window while it sleeps. */
static void lock(void)
{
	MPI_Win win = make_window();

	if (inject.rank == LATE) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 3, 0, win);
		put(3, win);
		MPI_Win_flush(3, win);
	}
	MPI_Barrier(WORLD);
	inject_begin();
	if (inject.rank == LATE)
		MPI_Win_unlock(3, win);
	inject_comes();
	if (inject.rank == 0) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 3, 0, win);
		put(3, win);
		MPI_Win_unlock(3, win);
	}
	inject_end();
	MPI_Win_free(&win);
}

const struct inject_row inject_windows[] = {
	{ "MPI_Win_create", create, ALL_OTHERS, "mpi_rma_wait_at_create" },
	{ "MPI_Win_allocate", allocate, ALL_OTHERS, "mpi_rma_wait_at_create" },
	{ "MPI_Win_free", free_window, ALL_OTHERS, "mpi_rma_wait_at_free" },
	{ "MPI_Win_fence", fence, ALL_OTHERS, "mpi_rma_wait_at_fence" },
	{ "MPI_Win_start/complete", late_post, FIRST, "mpi_rma_sync_late_post" },
	{ "MPI_Win_wait", early_wait, FIRST, "mpi_rma_early_wait" },
	{ "MPI_Win_lock", lock, FIRST, "mpi_rma_sync_lock_competition" },
	{ 0 },
};
