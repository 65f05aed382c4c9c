/* output: a made-up run, written in a format. Both write the same events. */
#pragma once

#include "program.h"

/* Ranks that share a node, in the names of nodes. */
enum { RANKS_PER_NODE = 32 };

/* One file, in order of time. False: errno says why. */
bool write_picl(const struct program *program, const char *path);
/* The anchor `path`, which ends in .otf2, and what belongs to it. False: the library said why. */
bool write_otf2(const struct program *program, const char *path);
