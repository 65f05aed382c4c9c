/* pair_aid: small traces from a text of call paths, and cubes of them, for tests of two traces. */
#pragma once

#include "patterns/severity/cube.h"

/* A line a visit: "main:1/solve:7/MPI_Recv:12 20": names with the lines of their calls, and how
 * long the innermost one is open, in milliseconds (a tick is a microsecond); on each of `ranks`
 * ranks. Visits of the same outer regions are one visit of these, as long as they follow each
 * other. Beginning with MPI_: of MPI, else user code. */
struct trace *pair_trace(const char *const *visits, int ranks);
/* Times and visits as said above, exclusive: time goes to the innermost region. */
struct cube *pair_cube(const struct trace *trace);
/* The canonical call path of a text "main > solve", UINT32_MAX without. */
uint32_t pair_path(const struct trace *trace, const char *text);
