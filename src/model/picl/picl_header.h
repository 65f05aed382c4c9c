/* picl_header: words in tview's header lines of a PICL file (doc/format.md), for reader and
 * writer. */
#pragma once

#include <stdbool.h>

#define PICL_HEADER_PREFIX "tview:"
#define PICL_TABLE_PREFIX  "def-" /* keys of the tables */

/* The file's statistics (-101 to -105) were made of its statement records, so the reader drops
 * them. */
#define PICL_STATISTICS_KEY  "picl-statistics"
#define PICL_STATISTICS_MADE "statements"

/* True for a key of picl_header.def; all others are properties. */
bool picl_header_is_key(const char *key);
