/* otf2_guard: what libotf2 3.0.2 must not be given, found by feeding it damaged archives.
 *
 * It takes most cut and bit-flipped files of definitions and events well: a read ends with an
 * error, and what came before stays. It does not take these:
 * - an anchor whose number of properties is damaged: OTF2_Reader_Open() asks for each of up to 2^32
 *   of them in turn, after the end of the file, for up to half a minute. So the anchor, a few
 *   hundred bytes, is read here first, and refused where it is not whole;
 * - a file that was cut off: it goes on in its buffer, in whatever an earlier file left there, and
 *   takes that for records. So the end of each file is looked at (two bytes), and where one is
 *   missing, fresh memory is zeroed while the archive is read (no record begins with a zero) and
 *   the last event, of which a part may be missing, is left out;
 * - messages to stderr, in the midst of a screen: a callback takes them (otf2_read.c).
 *
 * It also leaks a few kilobytes when it refuses an anchor or definitions; no one can do anything
 * about that from outside.
 *
 * On a sound archive all of this costs an open and a read of two bytes for each file. */
#pragma once

#include "base/err.h"

/* False with err where libotf2 had better not see the anchor. */
bool otf2_guard_anchor(const char *path, struct err *err);

/* True where a file of an archive has its end. */
bool otf2_guard_is_whole(const char *path);

/* Has memory that is allocated filled with zeros, or no longer so. */
void otf2_guard_zeros(bool on);
