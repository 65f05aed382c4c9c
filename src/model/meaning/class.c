#include "model/meaning/class.h"

#include <assert.h>
#include <string.h>

static const struct {
	const char *key, *title;
	bool mpi; /* of MPI, or of another library for communication */
} classes[CLASS_COUNT] = {
	[CLASS_USER] = { "user", "user code", false },
	[CLASS_P2P] = { "p2p", "point-to-point", true },
	[CLASS_COLLECTIVE] = { "collective", "collectives", true },
	[CLASS_SYNC] = { "sync", "synchronisation", true },
	[CLASS_RMA] = { "rma", "one-sided", true },
	[CLASS_IO] = { "io", "file I/O", true },
	[CLASS_START_END] = { "startend", "MPI start and end", true },
	[CLASS_MPI_OTHER] = { "mpi", "other MPI", true },
	[CLASS_DEVICE] = { "device", "wait for device", false },
	[CLASS_OVERHEAD] = { "overhead", "tool overhead", false },
	[CLASS_OUTSIDE] = { "outside", "not recorded", false },
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
	return (unsigned)cls < CLASS_COUNT && classes[cls].mpi;
}
