/* path: names of files. */
#pragma once

#include <stdbool.h>

#include "base/str.h"

/* The last part of a path: "c.trc" of "a/b/c.trc"; the path itself if it ends in a slash. */
const char *path_name(const char *path);

/* The name of a trace, `n` bytes of its path: as above; of an archive of Score-P or EZTrace,
 * which are all called "traces.otf2" or "eztrace_log.otf2", that of its folder. */
const char *path_trace_name(const char *path, size_t *n);

/* Appends the name of many files as a pattern: "rank*.json: 8 files". */
void path_add_names(const char *const *paths, size_t n, struct str *out);

/* The file `name` in lib/tview, where it was built or installed with this program; `path` says
 * where. False: it is in neither place; `path` is then the program's folder, empty if unknown. */
bool path_of_library(struct str *path, const char *name);
