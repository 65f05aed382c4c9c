/* cube_keep: the severities of a whole run that are kept with its trace (model/trace/piece.h), and
 * with its cache file: 1 to 3 bytes a cell of a whole number where neighbouring locations have
 * cells of a call path, 9 of another one. */
#pragma once

#include "patterns/severity/cube.h"

/* Keeps a copy of a settled cube of the whole run in a base. */
void cube_keep(const struct cube *cube, enum time_base base);
bool cube_is_kept(const struct trace *trace, enum time_base base);
/* The one that was kept, settled, the caller's. NULL: none, or it does not hold. */
struct cube *cube_kept(const struct trace *trace, enum time_base base);
