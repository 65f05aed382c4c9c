#include "capture/lib/mpi/handles.h"

#include <stddef.h>

/* The link that leads to it, or to the end of its bucket. */
static struct tv_handle **link_of(struct tv_handles *handles, uint64_t number)
{
	const uint64_t key = number * UINT64_C(0x9e3779b97f4a7c15);
	struct tv_handle **at = &handles->bucket[key >> 56];

	while (*at && (*at)->number != number)
		at = &(*at)->next;
	return at;
}

void tv_handle_put(struct tv_handles *handles, struct tv_handle *handle, uint64_t number)
{
	struct tv_handle **link;

	tv_lock(&handles->lock);
	link = link_of(handles, number);
	*handle = (struct tv_handle){ number, *link ? (*link)->next : NULL };
	*link = handle;
	tv_unlock(&handles->lock);
}

struct tv_handle *tv_handle_find(struct tv_handles *handles, uint64_t number)
{
	struct tv_handle *found;

	tv_lock(&handles->lock);
	found = *link_of(handles, number);
	tv_unlock(&handles->lock);
	return found;
}

struct tv_handle *tv_handle_take(struct tv_handles *handles, uint64_t number)
{
	struct tv_handle **link, *taken;

	tv_lock(&handles->lock);
	link = link_of(handles, number);
	taken = *link;
	if (taken)
		*link = taken->next;
	tv_unlock(&handles->lock);
	return taken;
}
