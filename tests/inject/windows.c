/* One-sided communication. */
#include "inject.h"

#include <time.h>
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

static void allocate_shared(void)
{
	MPI_Win win;
	int *memory;

	inject_begin();
	MPI_Win_allocate_shared(SIZE, sizeof(int), MPI_INFO_NULL, WORLD, &memory, &win);
	inject_end();
	MPI_Win_free(&win);
}

static void create_dynamic(void)
{
	MPI_Win win;

	inject_begin();
	MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &win);
	inject_end();
	MPI_Win_free(&win);
}

#if MPI_VERSION >= 4
static void create_c(void)
{
	MPI_Win win;

	inject_begin();
	MPI_Win_create_c(inject.from, SIZE, sizeof(int), MPI_INFO_NULL, WORLD, &win);
	inject_end();
	MPI_Win_free(&win);
}
#endif

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
static void epochs(int late_target, int tests)
{
	MPI_Win win = make_window();
	MPI_Group world, other;
	const int partner = 1 - inject.rank;
	const int target = late_target ? LATE : 0;
	const struct timespec pause = { .tv_nsec = 100000 };

	if (inject.rank < 2) {
		MPI_Comm_group(WORLD, &world);
		MPI_Group_incl(world, 1, &partner, &other);
	}
	inject_begin();
	if (inject.rank == target) {
		MPI_Win_post(other, 0, win);
		inject_waits();
		for (int flag = !tests; !flag; nanosleep(&pause, NULL))
			MPI_Win_test(win, &flag);
		if (!tests)
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
	epochs(1, 0);
}

static void early_wait(void)
{
	epochs(0, 0);
}

static void early_test(void)
{
	epochs(0, 1);
}

/* The late rank holds the lock of rank 3's window while it sleeps; rank 0 does `call` to it. */
#define LOCKED(name, call)                                           \
	static void name(void)                                       \
	{                                                            \
		MPI_Win win = make_window();                         \
		MPI_Request request;                                 \
		int got[NUMBERS] = { 0 };                            \
		(void)request, (void)got;                            \
		if (inject.rank == LATE) {                           \
			MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 3, 0, win); \
			put(3, win);                                 \
			MPI_Win_flush(3, win);                       \
		}                                                    \
		MPI_Barrier(WORLD);                                  \
		inject_begin();                                      \
		if (inject.rank == LATE)                             \
			MPI_Win_unlock(3, win);                      \
		inject_comes();                                      \
		if (inject.rank == 0) {                              \
			call;                                        \
		}                                                    \
		inject_end();                                        \
		MPI_Win_free(&win);                                  \
	}
#define WITH_LOCK(call)                              \
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 3, 0, win); \
	call;                                        \
	MPI_Win_unlock(3, win)
#define REQUESTED(start) WITH_LOCK(start; MPI_Wait(&request, MPI_STATUS_IGNORE))
#define TARGET           3, 0, NUMBERS, MPI_INT
#define OWN(buffer)      buffer, NUMBERS, MPI_INT

LOCKED(lock, WITH_LOCK(put(3, win)))
LOCKED(lock_shared, MPI_Win_lock(MPI_LOCK_SHARED, 3, 0, win); put(3, win); MPI_Win_unlock(3, win))
LOCKED(lock_all, MPI_Win_lock_all(0, win); put(3, win); MPI_Win_unlock_all(win))
LOCKED(flush, WITH_LOCK(put(3, win); MPI_Win_flush(3, win)))
LOCKED(flush_local, WITH_LOCK(put(3, win); MPI_Win_flush_local(3, win)))
LOCKED(flush_all, WITH_LOCK(put(3, win); MPI_Win_flush_all(win)))
LOCKED(flush_local_all, WITH_LOCK(put(3, win); MPI_Win_flush_local_all(win)))
LOCKED(get, WITH_LOCK(MPI_Get(OWN(got), TARGET, win)))
LOCKED(accumulate, WITH_LOCK(MPI_Accumulate(OWN(got), TARGET, MPI_SUM, win)))
LOCKED(fetch, WITH_LOCK(MPI_Fetch_and_op(inject.to, got, MPI_INT, 3, 0, MPI_SUM, win)))
LOCKED(rput, REQUESTED(MPI_Rput(OWN(inject.to), TARGET, win, &request)))
LOCKED(rget, REQUESTED(MPI_Rget(OWN(got), TARGET, win, &request)))
LOCKED(raccumulate, REQUESTED(MPI_Raccumulate(OWN(inject.to), TARGET, MPI_SUM, win, &request)))
LOCKED(rget_accumulate,
       REQUESTED(MPI_Rget_accumulate(OWN(inject.to), OWN(got), TARGET, MPI_SUM, win, &request)))
#if MPI_VERSION >= 4
LOCKED(rput_c, REQUESTED(MPI_Rput_c(OWN(inject.to), TARGET, win, &request)))
LOCKED(put_c, WITH_LOCK(MPI_Put_c(OWN(inject.to), TARGET, win)))
#endif

#define SYNC          "mpi_rma_sync_lock_competition"
const struct inject_row inject_windows[] = {
	{ "MPI_Win_create", create, ALL_OTHERS, "mpi_rma_wait_at_create" },
	{ "MPI_Win_allocate", allocate, ALL_OTHERS, "mpi_rma_wait_at_create" },
	{ "MPI_Win_allocate_shared", allocate_shared, ALL_OTHERS, "mpi_rma_wait_at_create" },
	{ "MPI_Win_create_dynamic", create_dynamic, ALL_OTHERS, "mpi_rma_wait_at_create" },
#if MPI_VERSION >= 4
	{ "MPI_Win_create_c", create_c, ALL_OTHERS, "mpi_rma_wait_at_create" },
#endif
	{ "MPI_Win_free", free_window, ALL_OTHERS, "mpi_rma_wait_at_free" },
	{ "MPI_Win_fence", fence, ALL_OTHERS, "mpi_rma_wait_at_fence" },
	{ "MPI_Win_start/complete", late_post, FIRST, "mpi_rma_sync_late_post" },
	{ "MPI_Win_wait", early_wait, FIRST, "mpi_rma_early_wait" },
	{ "MPI_Win_test", early_test, FIRST, "mpi_rma_early_wait" },
	{ "MPI_Win_lock", lock, FIRST, SYNC },
	{ "MPI_Win_lock/shared", lock_shared, FIRST, SYNC },
	{ "MPI_Win_lock_all", lock_all, FIRST, SYNC },
	{ "MPI_Win_flush", flush, FIRST, SYNC },
	{ "MPI_Win_flush_local", flush_local, FIRST, SYNC },
	{ "MPI_Win_flush_all", flush_all, FIRST, SYNC },
	{ "MPI_Win_flush_local_all", flush_local_all, FIRST, SYNC },
	{ "MPI_Get/locked", get, FIRST, SYNC },
	{ "MPI_Accumulate/locked", accumulate, FIRST, SYNC },
	{ "MPI_Fetch_and_op/locked", fetch, FIRST, SYNC },
	{ "MPI_Rput/Wait", rput, FIRST, SYNC },
	{ "MPI_Rget/Wait", rget, FIRST, SYNC },
	{ "MPI_Raccumulate/Wait", raccumulate, FIRST, SYNC },
	{ "MPI_Rget_accumulate/Wait", rget_accumulate, FIRST, SYNC },
#if MPI_VERSION >= 4
	{ "MPI_Rput_c/Wait", rput_c, FIRST, SYNC },
	{ "MPI_Put_c/locked", put_c, FIRST, SYNC },
#endif
	{ 0 },
};
