/* cache_report: the verb `cache`: which cache files there are, and their removal. */
#ifndef TVIEW_VIEWS_REPORT_CACHE_REPORT_H
#define TVIEW_VIEWS_REPORT_CACHE_REPORT_H

#include "base/err.h"
#include "base/str.h"

/* A line for each cache file of the trace `of` (NULL: of all), and what they take. False with err
 * where a trace was named that has none. */
bool cache_report(const char *of, struct str *out, struct err *err);
/* Removes them and says so. */
bool cache_clear(const char *of, struct str *out, struct err *err);

#endif
