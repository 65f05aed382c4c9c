/* cache_folder: all cache files of the user: those in the cache folder, and those beside their
 * traces, of which the cache folder has links. Together, but for those that the user has asked for,
 * they stay below a limit (TVIEW_CACHE_SIZE;
 * without it 10 GiB or a tenth of the disk that a file is on, the less of the two): those that
 * were used longest ago go first. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct cache_entry {
	char *file;     /* the cache file */
	char *link;     /* in the cache folder; equal to `file` if that is in the folder */
	char *source;   /* the trace; "" if another version of the program wrote the file */
	uint64_t bytes; /* on the disk */
	uint64_t events;
	bool prepared; /* the user asked for it: it does not count, and is not removed for others */
	int64_t used;  /* seconds since 1970: last time it was read or written */
};

/* Lists the cache files, least recently used first; cache_list_free() frees the list. `of`: only
 * those of that trace, NULL all. Removes links without a file. */
size_t cache_list(const char *of, struct cache_entry **list);
void cache_list_free(struct cache_entry *list, size_t n);

/* Removes a cache file, its link, and an abandoned draft of it. False with err if the system
 * refuses. */
bool cache_remove(const struct cache_entry *entry, struct err *err);
