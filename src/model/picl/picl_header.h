/* picl_header: the words of tview's own header lines in a PICL file (doc/format.md), known to
 * reader and writer. */
#pragma once

#include <stdbool.h>

#define PICL_HEADER_PREFIX "tview:"
#define PICL_TABLE_PREFIX  "def-" /* keys of the tables */

/* The file's statistics (-101 to -105) are made of its statement records: not kept beside them. */
#define PICL_STATISTICS_KEY  "picl-statistics"
#define PICL_STATISTICS_MADE "statements"

/* True for a key with a meaning of its own; all others are properties. */
bool picl_header_is_key(const char *key);
