/* cache_report: the verb `cache`: which cache files there are, and their removal. */
#pragma once

#include "base/err.h"
#include "base/str.h"

/* A line for each cache file of the trace `of` (NULL: of all), and what they take. False with err
 * where a trace was named that has none. */
bool cache_report(const char *of, struct str *out, struct err *err);
/* Removes them and says so. */
bool cache_clear(const char *of, struct str *out, struct err *err);
