/* library_headers: headers of libraries that preprocessed text does not call system headers.
 *
 * What system headers define has no probes, and line markers say which those are (flag 3). Wrappers
 * like mpicc name the folder of MPI's headers with -I, so that they are none: of C++ they define
 * hundreds of procedures. So are headers in /usr/include that a -I leads to. Both are marked: what
 * is in /usr/include and /usr/local/include, and beside the mpi.h that the text has. */
#pragma once

#include "base/str.h"

/* Appends the text to `out` with such line markers flagged; lines stay lines. */
void library_headers_mark(const char *text, size_t size, struct str *out);
