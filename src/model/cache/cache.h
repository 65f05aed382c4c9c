/* cache: a trace's store in a file, which the next start maps instead of reading the trace.
 *
 * The file is beside the trace (.NAME.tvcache), or in the cache folder ($XDG_CACHE_HOME/tview,
 * ~/.cache/tview) where the trace's folder cannot be written. It holds for the trace as it was
 * (every file of it: name, size, time of change, and digests of heads and tails), for one build of
 * the program, and for the options that change a store; anything else makes it stale, and it is
 * written again. Parts of traces are never cached. Only files of the user's own are believed.
 *
 * Every byte of the file is under a checksum. Header and directory are checked when it is opened,
 * the rest chunk by chunk when it is first touched (base/guard.h), or at once where no one can be
 * told later: no damaged value is ever seen. A damaged file is removed, and the trace is read from
 * its source.
 *
 * Threads: as in trace.h. */
#pragma once

#include "model/build/load_options.h"

/* Below so many events a trace is read as fast as anybody can look; TVIEW_CACHE_MIN changes it. */
enum { CACHE_MIN_EVENTS = 200000 };

/* The trace from its cache file, or NULL without one (none, stale, damaged, not wanted by the
 * options). *damaged tells that there was one that had to be discarded. */
struct trace *cache_load(const char *path, const struct load_options *options, bool *damaged);

/* Remembers what the source was like before it is read, and whether its cache was damaged, for a
 * trace that is going to be loaded: NULL where it cannot be cached. Goes to cache_remember() or
 * cache_state_free(). */
struct cache_state;
struct cache_state *cache_prepare(const char *path, const struct load_options *options);
void cache_remember(struct trace *trace, struct cache_state *take_state, bool damaged);
void cache_state_free(struct cache_state *state);

/* True when this trace was mapped. */
bool trace_is_cached(const struct trace *trace);
#define CACHE_DAMAGE_NOTICE "the cache file was damaged and discarded: the trace was read again"

/* A line for people: CACHE_DAMAGE_NOTICE; NULL when there is nothing to say. */
const char *cache_notice(const struct trace *trace);

/* A folder in which a store that is larger than memory may be built: the first (0) or second (1)
 * choice; false: there is none. */
struct str;
bool cache_room(const char *path, int place, struct str *folder);

/* Whether a cache file of the trace should be written. */
bool cache_wanted(const struct trace *trace);
/* Writes it, with everything that was made of the trace so far. False with err: why not (the disk
 * is full, the trace has changed). Nothing is left over then. Another program that writes the
 * same file is not an error: nothing happens. */
bool cache_write(const struct trace *trace, struct err *err);

/* The same in a process of its own that outlives this one: a snapshot, so that the trace may be
 * used and freed meanwhile. There, `prepare` (may be NULL) computes what else is worth having.
 * Gives the end of a pipe that becomes readable when it is done, and tells nothing (end of file) or
 * why there is no cache file; -1 where it is not wanted or no process could be made. The caller
 * closes it. */
int cache_write_behind(const struct trace *trace, void (*prepare)(struct trace *trace));
