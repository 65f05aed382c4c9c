/* cache_report: the verb `cache`: lists and removes cache files. */
#pragma once

#include "base/err.h"
#include "base/str.h"

/* Appends a line for each cache file of the trace `of` (NULL: of all traces), and their total size.
 * False with err if `of` has none. */
bool cache_report(const char *of, struct str *out, struct err *err);
/* Removes them and appends how many. False with err as above, or if one cannot be removed. */
bool cache_clear(const char *of, struct str *out, struct err *err);
