/* otf2: reader of OTF2 archives (Score-P, TAU, EZTrace, Extrae's converter), through libotf2.
 *
 * An archive is an anchor NAME.otf2 with NAME.def and NAME/ beside it, a file of events and one of
 * local definitions for each location. It is read location by location. Times become ticks from the
 * clock properties' global offset: nanoseconds where the archive's resolution divides 10^9, else
 * the archive's own tick. `measured` is the raw time; the clock offsets go to the builder. Ranks
 * are those of the world (the MPI locations' group); partners of messages are translated to them.
 *
 * Deviations and missing or truncated files become findings; only an archive of which nothing can
 * be read is an error. otf2_archive.h says how values without a place of their own in the store are
 * kept. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/build/load_options.h"

/* A BUFFER_FLUSH record becomes an enter and a leave of this region of CLASS_OVERHEAD, which
 * Score-P defines in every archive; records that switch the measurement off and on get
 * OTF2_TRACING_REGION. The numbers are their event types in PICL. */
#define OTF2_FLUSH_REGION   "TRACE BUFFER FLUSH"
#define OTF2_TRACING_REGION "MEASUREMENT OFF"
enum { OTF2_FLUSH_PICL = -912, OTF2_TRACING_PICL = -901 };

/* True when the first bytes of a file are those of an anchor. */
bool otf2_recognise(const char *bytes, size_t n);
/* True when they are those of another file of an archive (definitions, events). */
bool otf2_is_part(const char *bytes, size_t n);

/* The anchor that such a file belongs to (malloc'ed), by the file names; NULL if there is none. */
char *otf2_anchor_of(const char *path);

/* The one anchor in a folder (malloc'ed), or NULL with err: none, or several, which it names. */
char *otf2_anchor_in(const char *folder, struct err *err);

/* Reads an archive; `anchor` is its NAME.otf2. NULL with err if it is not an archive or nothing can
 * be read; NULL with err untouched if progress cancelled. */
struct trace *otf2_read(const char *anchor, const struct load_options *options,
			const struct progress *progress, struct err *err);
