/* picl_header: the words of tview's own header lines in a PICL file (doc/format.md), known to reader
 * and writer. */
#ifndef TVIEW_MODEL_PICL_HEADER_H
#define TVIEW_MODEL_PICL_HEADER_H

#include <stdbool.h>

#define PICL_HEADER_PREFIX "tview:"

/* True for a key with a meaning of its own; all others are properties. */
bool picl_header_is_key(const char *key);

#endif
