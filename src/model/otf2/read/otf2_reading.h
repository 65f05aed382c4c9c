/* otf2_reading: reads the events of an archive's locations into its builder, with as many threads
 * as the options say. */
#pragma once

#include <pthread.h>

#include "base/jobs.h"
#include "model/otf2/read/otf2_archive.h"

/* A thread that reads locations: threads must not share the library's handles. */
struct otf2_worker {
	OTF2_Reader *reader;
	OTF2_EvtReaderCallbacks *callbacks;
	struct builder *b; /* the archive's own, or a child of it */
};

struct otf2_reading {
	struct otf2_archive *a;
	const struct progress *progress;
	struct otf2_worker workers[JOBS_MOST];
	unsigned jobs;
	pthread_mutex_t lock; /* of all below, and of the progress */
	uint64_t done, all;   /* bytes */
	uint64_t events;      /* of all, as definitions say */
	bool stopped, wants_spare;
};

/* A handle of the library; NULL: the anchor cannot be read. */
OTF2_Reader *otf2_reading_open(const char *anchor);
/* The definitions are resolved. What was found out is in the places, and in `r`. */
void otf2_reading_places(struct otf2_reading *r, OTF2_Reader *reader);
