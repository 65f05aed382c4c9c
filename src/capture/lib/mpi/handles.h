/* handles: what is known of objects of MPI, by their handles as numbers. Owners embed a tv_handle
 * as their first member, and free it once it is taken out. Any thread may call. */
#pragma once

#include <stdint.h>

#include "capture/lib/locks.h"

struct tv_handle {
	uint64_t number;
	struct tv_handle *next;
};

enum { TV_HANDLE_BUCKETS = 256 };

struct tv_handles {
	pthread_mutex_t lock;
	struct tv_handle *bucket[TV_HANDLE_BUCKETS];
};
#define TV_HANDLES_NONE                            \
	{                                          \
		.lock = PTHREAD_MUTEX_INITIALIZER, \
	}

/* One with that number is forgotten: MPI has given the handle to another object. */
void tv_handle_put(struct tv_handles *handles, struct tv_handle *handle, uint64_t number);
/* NULL: it is not there. */
struct tv_handle *tv_handle_find(struct tv_handles *handles, uint64_t number);
/* The same, and takes it out. */
struct tv_handle *tv_handle_take(struct tv_handles *handles, uint64_t number);
