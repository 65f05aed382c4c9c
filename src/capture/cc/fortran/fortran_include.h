/* fortran_include: the text of a source of Fortran with the files that INCLUDE names in their
 * places, between marks as a preprocessor writes them (# LINE "FILE" FLAG), so that lines stay
 * those of their files. A file that cannot be read stays an INCLUDE. */
#pragma once

#include "base/str.h"

/* `places` are the folders in which files are searched, in this order, up to NULL. */
void fortran_include(const char *text, size_t n, const char *file, const char *const *places,
		     struct str *out);

/* Whether a line is a mark; then its number and, appended to `file`, the name. */
bool fortran_mark(const char *line, size_t n, uint32_t *number, struct str *file);
/* Appends one; `flag` is 1 where a file begins, 2 where the one around goes on, else 0. */
void fortran_mark_write(uint32_t number, const char *file, int flag, struct str *out);
