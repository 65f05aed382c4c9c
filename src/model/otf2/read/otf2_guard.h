/* otf2_guard: keeps input from libotf2 3.0.2 that it cannot handle, found by fuzzing it with
 * damaged archives.
 *
 * It handles most truncated and bit-flipped files of definitions and events: a read ends with an
 * error, and the data before it stays. Not these:
 * - an anchor whose number of properties is damaged: OTF2_Reader_Open() asks for each of up to 2^32
 *   of them in turn, after the end of the file, for up to half a minute. So the anchor, a few
 *   hundred bytes, is read here first, and refused where it is not whole;
 * - a truncated file: it reads on in its buffer, in data of an earlier file, and takes that for
 *   records; where these say that a chunk ends, it may do so for ever. So the end of each file is
 *   checked (two bytes). If one is missing, memory for buffers is fresh while the archive is read
 *   (no record begins with a zero), by one thread, and the last event, which may be incomplete, is
 *   left out. No file has more events than bytes;
 * - messages to stderr, in the midst of a screen: a callback takes them (otf2_read.c).
 *
 * It also leaks a few kilobytes when it refuses an anchor or definitions, which cannot be helped
 * from outside.
 *
 * On a sound archive all of this costs an open and a read of two bytes for each file. */
#pragma once

#include <stddef.h>

#include "base/err.h"

/* Bytes of an archive's chunks. */
struct otf2_chunks {
	size_t events, defs;
};

/* False with err if the anchor must not be given to libotf2. */
bool otf2_guard_anchor(const char *path, struct otf2_chunks *chunks, struct err *err);

/* True if a file of an archive has its end. */
bool otf2_guard_is_whole(const char *path);
/* The same of a file of definitions and, where it is one of the small ones of locations, if the
 * lengths of its records lead there: else the library reads on after it. */
bool otf2_guard_defs_are_whole(const char *path);

/* Memory for chunks (256 KiB and more) is mapped, so it is zeros; or no longer. But what was freed
 * before, by an earlier archive, too, is given first: otf2_guard_clear() makes that zeros, too, for
 * the next chunk of that size that the thread asks for. */
void otf2_guard_zeros(bool on);
void otf2_guard_clear(size_t chunk);
