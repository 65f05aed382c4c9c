/* cache: a trace's store in a file, which the next start maps instead of reading the trace.
 *
 * The file is beside the trace (.NAME.tvcache), or in the cache folder ($XDG_CACHE_HOME/tview,
 * ~/.cache/tview) where the trace's folder cannot be written. It is valid for the trace as it was
 * (every file of it: name, size, time of change, and digests of pieces), for one build of
 * the program, and for the options that change a store; any difference makes it stale, and it is
 * written again. Parts of traces are never cached. Only files that the user or root owns are used,
 * and only the user's own are replaced: where another's has the name, it is in the cache folder.
 *
 * Every byte of the file is under a checksum. Header and directory are checked when it is opened,
 * the rest chunk by chunk when it is first touched (base/guard.h), or at once if the caller cannot
 * be interrupted later: no damaged value is ever used. A damaged file is removed, and the trace is
 * read from its source. One that is changed while it is mapped (no program of this name does so)
 * counts as damaged, as soon as that leads to a fault or trace_is_unchanged() is asked.
 *
 * Threads: as in trace.h. */
#pragma once

#include "model/build/load_options.h"

/* Traces with fewer events are read fast enough without a cache; TVIEW_CACHE_MIN changes the
 * limit. */
enum { CACHE_MIN_EVENTS = 200000 };

/* The trace from its cache file, or NULL (there is none, it is stale or damaged, or the options
 * forbid it). *damaged: a damaged one was discarded. */
struct trace *cache_load(const char *path, const struct load_options *options, bool *damaged);

/* Notes the state of a source before it is read; NULL if it cannot be cached. The caller passes it
 * to cache_remember() with the trace that was read, or to cache_state_free(). */
struct cache_state;
struct cache_state *cache_prepare(const char *path, const struct load_options *options);
void cache_remember(struct trace *trace, struct cache_state *take_state, bool damaged);
void cache_state_free(struct cache_state *state);

/* True if this trace was mapped from a cache file. */
bool trace_is_cached(const struct trace *trace);
#define CACHE_DAMAGE_NOTICE "the cache file was damaged and discarded: the trace was read again"

/* CACHE_DAMAGE_NOTICE if it applies to the trace, that a file of another user was not used, or
 * NULL. */
const char *cache_notice(const struct trace *trace);

/* Appends a folder in which a store that is larger than memory may be built: the first (0) or
 * second (1) choice; false: there is none. */
struct str;
bool cache_room(const char *path, int place, struct str *folder);

/* Whether a cache file of the trace should be written. */
bool cache_wanted(const struct trace *trace);
/* Writes it, with everything that was made of the trace so far. False with err: the disk is full,
 * the trace has changed; no file is left then. If another program is writing the same file, does
 * nothing and returns true. */
bool cache_write(const struct trace *trace, struct err *err);

/* A number that changes with the files of a trace; 0: it is not known (a pipe). */
uint64_t cache_source_state(const char *path);

/* ---- by several processes ---- */

/* Lets the file be one that the program of that name opens, which is made of the same sources, and
 * that does not count among all cache files, as the user has asked for it. False: there is no such
 * program. */
bool cache_state_for(struct cache_state *state, const char *program);
/* True if the file is there already, and valid. */
bool cache_is_there(const struct cache_state *state);
/* Writes the cache file of a trace that processes share (base/exchange.h), as one process would:
 * all call it, the first one's trace remembers the state of the source. The trace can only be freed
 * afterwards. False with err where this process failed, without where another one did: no file is
 * left then. Not of traces whose events have numbers by their place in the file (PICL). */
bool cache_share(struct trace *trace, struct err *err);

/* ---- in the background ---- */

/* The same in a child process, which outlives this one and works on a snapshot: the trace may be
 * used and freed meanwhile. `prepare` (may be NULL) computes further results there first. Returns
 * the reading end of a pipe, which the caller closes: end of file when the child is done, after a
 * sentence if there is no cache file. -1: not wanted, or no process could be made. */
int cache_write_behind(const struct trace *trace, void (*prepare)(struct trace *trace));
