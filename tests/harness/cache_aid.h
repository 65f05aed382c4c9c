/* cache_aid: a folder of a test's own with traces in it, for tests of cache files. */
#pragma once

#include <sys/types.h>

#include "harness/files.h"
#include "model/cache/cache.h"
#include "model/formats/load.h"

/* Setup and teardown of a group: every trace gets a cache file, and the cache folder lies in the
 * test's folder. */
int cache_aid_setup(void **state);
int cache_aid_teardown(void **state);

/* "FOLDER/name"; the caller frees, as with all texts here. */
char *aid_path(const char *name);
/* ".../.x.tvcache" of ".../x". */
char *aid_cache(const char *path);
char *aid_slurp(const char *path, size_t *n);
/* Copies a trace into the folder. */
char *aid_copy(const char *from, const char *name);
/* A trace of 8 ranks with about so many events: its cache file has sections that are not checked
 * when it is opened. */
char *aid_large(const char *name, unsigned events);
bool aid_exists(const char *path);

/* Adds text to a file's end. */
void aid_append(const char *path, const char *text);
/* Waits for a child: its status, or 256 and the signal that ended it. */
int aid_status(pid_t child);

/* A trace in the test's folder, its cache file and the draft of that; all go with the scope. */
struct cached {
	char *path, *cache, *draft;
};

#define CACHED ENDED_BY(cached_fini) struct cached

struct cached cached(char *take_path);
void cached_fini(struct cached *f);

/* Load and write, or fail the test. */
struct trace *aid_open(const char *path);
void aid_keep(const struct trace *trace);
/* All that two traces say is the same. */
void aid_same(struct trace *a, struct trace *b);
