/* otf2_chunks: memory that libotf2 collects records in. By default it takes a new chunk for every
 * megabyte of a location, and the system clears its pages; here a location's events are written
 * whenever a chunk is full, and the next chunk, or the next location, has the same memory.
 *
 * Threads: any, if the archive has locks. */
#pragma once

#include <otf2/otf2.h>

struct otf2_chunks;

struct otf2_chunks *otf2_chunks_new(void);
/* After the archive was closed. */
void otf2_chunks_free(struct otf2_chunks *chunks);
/* The archive takes its memory there. */
OTF2_ErrorCode otf2_chunks_use(struct otf2_chunks *chunks, OTF2_Archive *archive);
