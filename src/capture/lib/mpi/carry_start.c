#include "capture/lib/mpi/carry_start.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/lib/carry.h"
#include "capture/lib/mpi/pmpi.h"
#include "capture/lib/own_line.h"

/* The ranks of this node; one that has a name of its own (TVIEW_NODE) is another one. */
static bool split(MPI_Comm *local)
{
	const char *name = getenv("TVIEW_NODE");
	uint32_t hash = name && *name ? UINT32_C(2166136261) : 0;
	MPI_Comm machine;
	bool made;

	for (const char *p = name; p && *p; p++)
		hash = (hash ^ (unsigned char)*p) * UINT32_C(16777619);
	if (tv_mpi.Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
				   &machine) != MPI_SUCCESS)
		return false;
	made = tv_mpi.Comm_split(machine, (int)(hash & INT32_MAX), 0, local) == MPI_SUCCESS;
	tv_mpi.Comm_free(&machine);
	return made;
}

/* Of all ranks: whether all agree that nodes are to ask each other, which several nodes can. */
static bool is_far_wanted(int world, int size)
{
	int own = tv.virtual_time && tv.order && !tv.multi && tv_self.live && size < world;
	int all[TV_CARRY_RANKS]; /* no allocation that could fail here and not elsewhere */
	bool wanted;

	if (world > TV_CARRY_RANKS)
		return false;
	wanted = tv_mpi.Allgather(&own, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS;
	for (int i = 0; wanted && i < world; i++)
		wanted = all[i];
	return wanted;
}

/* Each rank learns where the others' nodes can be asked: far is wanted, so they are few. */
static void far_start(MPI_Comm local, int me, int world, int first)
{
	struct far_card own = { .node = first }, cards[TV_CARRY_RANKS];

	if (me == 0 && !tv_far_serve(first, tv.file->job, &own))
		own.port = 0;
	tv_mpi.Bcast(&own, sizeof own, MPI_BYTE, 0, local);
	if (tv_mpi.Allgather(&own, sizeof own, MPI_BYTE, cards, sizeof own, MPI_BYTE,
			     MPI_COMM_WORLD) == MPI_SUCCESS)
		tv_far_join(cards, world, tv.file->job);
}

void tv_carry_start(void)
{
	MPI_Comm local = MPI_COMM_NULL;
	char path[TV_CARRY_PATH] = "";
	int world = 0, rank = 0, me = 0, size = 0, ranks[TV_CARRY_RANKS] = { 0 };
	int numbers[TV_CARRY_RANKS];
	bool here[TV_CARRY_RANKS];
	bool usable = false, far;

	tv_mpi.Comm_size(MPI_COMM_WORLD, &world);
	if (!tv_carry_wanted() || !split(&local))
		return;
	tv_mpi.Comm_size(local, &size);
	tv_mpi.Comm_rank(local, &me);
	tv_mpi.Comm_rank(MPI_COMM_WORLD, &rank);
	far = is_far_wanted(world, size);
	if (size <= TV_CARRY_RANKS) {
		tv_mpi.Allgather(&rank, 1, MPI_INT, ranks, 1, MPI_INT, local);
		for (int i = 0; i < TV_CARRY_RANKS; i++) {
			numbers[i] = far ? i : ranks[i];
			here[i] = !far;
		}
		for (int i = 0; far && i < size; i++)
			here[ranks[i]] = true;
		usable = tv_carry_meet(far ? rank : me, far ? world : size, numbers, here, world);
	}
	if (me == 0 && usable)
		snprintf(path, sizeof path, "%s", tv_carry_make());
	tv_mpi.Bcast(path, sizeof path, MPI_CHAR, 0, local);
	if (me != 0 && usable)
		tv_carry_join(path);
	tv_mpi.Barrier(local);
	if (me == 0 && *path)
		tv_carry_hide();
	if (usable && tv_self.live && tv.virtual_time && tv.order)
		tv_line_start();
	if (far)
		far_start(local, me, world, ranks[0]);
	tv_mpi.Comm_free(&local);
}
