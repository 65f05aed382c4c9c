#include "model/meaning/class.h"

#include <assert.h>
#include <string.h>

static const struct {
	const char *key, *title;
} classes[CLASS_COUNT] = {
	[CLASS_USER] = { "user", "user code" },
	[CLASS_P2P] = { "p2p", "point-to-point" },
	[CLASS_COLLECTIVE] = { "collective", "collectives" },
	[CLASS_SYNC] = { "sync", "synchronisation" },
	[CLASS_RMA] = { "rma", "one-sided" },
	[CLASS_IO] = { "io", "file I/O" },
	[CLASS_START_END] = { "startend", "MPI start and end" },
	[CLASS_MPI_OTHER] = { "mpi", "other MPI" },
	[CLASS_DEVICE] = { "device", "wait for device" },
	[CLASS_OVERHEAD] = { "overhead", "tool overhead" },
	[CLASS_OUTSIDE] = { "outside", "not recorded" },
};

const char *region_class_name(enum region_class cls)
{
	assert((unsigned)cls < CLASS_COUNT);
	return classes[cls].key;
}

const char *region_class_title(enum region_class cls)
{
	assert((unsigned)cls < CLASS_COUNT);
	return classes[cls].title;
}

enum region_class region_class_find(const char *key, size_t n)
{
	unsigned cls = 0;

	while (cls < CLASS_COUNT &&
	       (strlen(classes[cls].key) != n || memcmp(classes[cls].key, key, n) != 0))
		cls++;
	return (enum region_class)cls;
}

bool region_class_is_mpi(enum region_class cls)
{
	switch (cls) {
	case CLASS_P2P:
	case CLASS_COLLECTIVE:
	case CLASS_SYNC:
	case CLASS_RMA:
	case CLASS_IO:
	case CLASS_START_END:
	case CLASS_MPI_OTHER: return true;
	case CLASS_USER:
	case CLASS_DEVICE:
	case CLASS_OVERHEAD:
	case CLASS_OUTSIDE:
	case CLASS_COUNT: break;
	}
	return false;
}
