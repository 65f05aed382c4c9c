#include "correct/room/room.h"

#include <math.h>

#include "base/mem.h"
#include "correct/room/room_state.h"

struct room *room_new(uint32_t clocks, double first, double last, double grain)
{
	struct room *room = xcalloc(1, sizeof *room);

	room->clocks = clocks;
	room->windows.first = first;
	room->windows.length = fmax((last - first) / ROOM_WINDOWS, 0);
	room->grain = grain;
	room->mean = xcalloc(clocks + 1u, sizeof *room->mean);
	room->own = xcalloc(clocks + 1u, sizeof *room->own);
	room->drift = DRIFT_MOST;
	room->loose = xcalloc((size_t)clocks * ROOM_WINDOWS + 1, sizeof *room->loose);
	room->is_loose = xcalloc(clocks + 1u, sizeof *room->is_loose);
	room->trust = 1;
	room->is_set = xcalloc(clocks + 1u, sizeof *room->is_set);
	return room;
}

void room_free(struct room *room)
{
	if (!room)
		return;
	vec_fini(&room->rows);
	vec_fini(&room->records);
	keymap_fini(&room->row_of);
	room_buckets_fini(room);
	vec_fini(&room->means);
	free_all(room->mean, room->own, room->loose, room->is_loose, room->is_set,
		 room->windows.sets, room);
}
