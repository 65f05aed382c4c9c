/* path: names of files. */
#pragma once

#include <stdbool.h>

#include "base/str.h"

/* The last part of a path: "c.trc" of "a/b/c.trc"; the path itself if it ends in a slash. */
const char *path_name(const char *path);

/* The file `name` in lib/tview, where it was built or installed with this program; `path` says
 * where. False: it is in neither place; `path` is then the program's folder, empty if unknown. */
bool path_of_library(struct str *path, const char *name);
