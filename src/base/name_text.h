/* name_text: names of functions and call paths where the room is narrow. They often begin alike
 * (`LAMMPS_NS::CommBrick::borders`), so that a cut at the end would make them the same. */
#pragma once

#include "base/str.h"

/* Makes clean text fit into `width` columns: without arguments of functions, then of templates, the
 * last ones first; then without its first qualifiers (namespaces and classes; of `main > relax >
 * MPI_Send` the first callers), else without the middle of the rest, so that the last name stays.
 * `ellipsis`, of one column, is where something is missing. A note on the name, after two blanks,
 * goes first, and is left to be cut at its end where the name has room. */
void name_text_fit(struct str *name, int width, const char *ellipsis);

/* The same of a title: its beginning says most, its last quarter what the next one has not. */
void name_text_fit_title(struct str *title, int width, const char *ellipsis);

/* Bytes of the name of a function without its arguments: of `f(int)` to `(`. */
size_t name_text_bare(const char *name);

/* Bytes to the last part of a name: of `a::b<c::d>::e` to `e`. */
size_t name_text_last(const char *name);
