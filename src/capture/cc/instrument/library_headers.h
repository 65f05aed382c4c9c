/* library_headers: headers of libraries that are not marked as system headers in preprocessed
 * text.
 *
 * System headers, which line markers flag (3), get no probes. Wrappers like mpicc name the folder
 * of MPI's headers with -I, so that these are not flagged; those for C++ define hundreds of
 * procedures. The same holds for headers in /usr/include that a -I leads to. Both are marked: what
 * is in /usr/include and /usr/local/include, and beside the mpi.h that the text has;
 * and tview.h. */
#pragma once

#include "base/str.h"

/* Appends the text to `out` with such line markers flagged; lines stay lines. */
void library_headers_mark(const char *text, size_t size, struct str *out);
