/* handles: what is known of objects of MPI, by their handles as numbers. Owners embed a tv_handle
 * as their first member, and hold a lock of theirs. */
#pragma once

#include <stdint.h>

struct tv_handle {
	uint64_t number;
	struct tv_handle *next;
};

enum { TV_HANDLE_BUCKETS = 256 };

struct tv_handles {
	struct tv_handle *bucket[TV_HANDLE_BUCKETS];
};

/* The link that leads to it, or to the end of its bucket: there a new one is put. */
static inline struct tv_handle **tv_handle_link(struct tv_handles *handles, uint64_t number)
{
	const uint64_t key = number * UINT64_C(0x9e3779b97f4a7c15);
	struct tv_handle **at = &handles->bucket[key >> 56];

	while (*at && (*at)->number != number)
		at = &(*at)->next;
	return at;
}

/* Takes it out; NULL: it is not there. */
static inline struct tv_handle *tv_handle_take(struct tv_handles *handles, uint64_t number)
{
	struct tv_handle **link = tv_handle_link(handles, number), *handle = *link;

	if (handle)
		*link = handle->next;
	return handle;
}
