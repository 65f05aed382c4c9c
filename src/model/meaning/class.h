/* class: the classes of a location's time: colours of the timeline, bars of the report, slots of
 * the default shading. Key and title of a class are here and nowhere else. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum region_class {
	CLASS_USER,
	CLASS_P2P,
	CLASS_COLLECTIVE,
	CLASS_SYNC, /* barriers, waiting for other threads, epochs of one-sided communication */
	CLASS_RMA,  /* one-sided: put, get, accumulate */
	CLASS_IO,   /* file operations */
	CLASS_START_END, /* MPI_Init, MPI_Finalize and their like */
	CLASS_MPI_OTHER,
	CLASS_DEVICE,   /* a host waits for its accelerator */
	CLASS_OVERHEAD, /* time in the tool's own regions */
	CLASS_OUTSIDE,  /* before the first and after the last record, between two recorded spans */
	CLASS_COUNT
};

/* The key in exports, filters and files: "user", "p2p", "collective", "sync", "rma", "io",
 * "startend", "mpi", "device", "overhead", "outside". */
const char *region_class_name(enum region_class cls);
/* What people read: "point-to-point". */
const char *region_class_title(enum region_class cls);
/* The class of a key of n bytes; CLASS_COUNT: there is none. */
enum region_class region_class_find(const char *key, size_t n);
/* True for time in MPI or another library for communication. */
bool region_class_is_mpi(enum region_class cls);
