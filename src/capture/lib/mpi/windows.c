#include "capture/lib/mpi/windows.h"

#include <stdlib.h>
#include <string.h>

#include "capture/lib/locks.h"

enum { BUCKETS = 256 };

struct group {
	uint32_t id;
	int size;
	struct group *next;
	int32_t members[]; /* world ranks */
};

static struct {
	pthread_mutex_t lock;
	struct group *group[BUCKETS]; /* by members */
	uint32_t next;
} groups = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct {
	struct tv_handles made;
	uint32_t next;
} windows = { .made = TV_HANDLES_NONE };

/* ---- windows ---- */

static struct tv_window *window_of(struct tv_handle *handle)
{
	return (struct tv_window *)(void *)handle;
}

struct tv_window *tv_window_made(struct tv_thread *t, MPI_Win handle, MPI_Comm comm, bool allocated)
{
	struct tv_window *window = calloc(1, sizeof *window);
	struct tv_comm *of = tv_comm(t, comm);
	struct tv_def_window def;

	if (!window)
		return NULL;
	window->comm = of;
	window->nth = of->windows++;
	window->allocated = allocated;
	window->started = window->posted = TV_NO_GROUP;
	window->id = __atomic_fetch_add(&windows.next, 1, __ATOMIC_RELAXED);
	tv_handle_put(&windows.made, &window->handle, TV_KEY(handle));
	/* What a program makes and frees in a loop must not make statistics grow. */
	def = (struct tv_def_window){ window->comm->id, allocated };
	if (!tv.statistics)
		tv_define(t, TV_DEF_WINDOW, window->id, &def, sizeof def, NULL, 0);
	return window;
}

struct tv_window *tv_window_find(MPI_Win handle)
{
	return window_of(tv_handle_find(&windows.made, TV_KEY(handle)));
}

void tv_window_named(struct tv_thread *t, const struct tv_window *window, const char *name)
{
	if (!tv.anonymous && !tv.statistics)
		tv_define(t, TV_DEF_WINDOW_NAME, window->id, name, strlen(name) + 1, NULL, 0);
}

struct tv_window *tv_window_take(MPI_Win handle)
{
	return window_of(tv_handle_take(&windows.made, TV_KEY(handle)));
}

/* ---- groups ---- */

/* With the lock held: the one with these members; where there is none it is `fresh`, which is kept
 * then. */
static struct group *same_group(struct group *fresh)
{
	const size_t count = (size_t)fresh->size;
	struct group **bucket = &groups.group[tv_members_hash(fresh->members, count) % BUCKETS];

	for (struct group *g = *bucket; g; g = g->next)
		if (g->size == fresh->size &&
		    !memcmp(g->members, fresh->members, count * sizeof *g->members))
			return g;
	fresh->id = groups.next++;
	fresh->next = *bucket;
	return *bucket = fresh;
}

const int32_t *tv_group_ranks(uint32_t id, int *size)
{
	const int32_t *ranks = NULL;

	*size = 0;
	tv_lock(&groups.lock);
	for (int i = 0; i < BUCKETS && !ranks; i++)
		for (const struct group *g = groups.group[i]; g; g = g->next)
			if (g->id == id) {
				ranks = g->members;
				*size = g->size;
			}
	tv_unlock(&groups.lock);
	return ranks;
}

uint32_t tv_group_find(struct tv_thread *t, MPI_Group group)
{
	struct tv_def_comm def = { .rank = -1, .parent = TV_NO_COMM };
	struct group *fresh, *known;
	uint32_t id;

	if (tv.statistics || tv_mpi.Group_size(group, &def.size) != MPI_SUCCESS)
		return TV_NO_GROUP;
	fresh = malloc(sizeof *fresh + (size_t)def.size * sizeof *fresh->members);
	if (!fresh)
		return TV_NO_GROUP;
	fresh->size = def.size;
	tv_group_members(group, def.size, fresh->members);
	tv_lock(&groups.lock);
	known = same_group(fresh);
	id = known->id;
	tv_unlock(&groups.lock);
	if (known != fresh)
		free(fresh);
	else if (!tv_define(t, TV_DEF_GROUP, id, &def, sizeof def, fresh->members,
			    (size_t)def.size * sizeof *fresh->members))
		return TV_NO_GROUP;
	return id;
}
