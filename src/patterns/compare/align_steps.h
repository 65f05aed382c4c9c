/* align_steps: what the parts of align share. No other file includes it.
 *
 * align.c		both together, and what is said of them
 * align_paths.c	the merged tree of call paths
 * align_names.c	names of regions, alike in both traces
 * align_places.c	locations */
#pragma once

#include "patterns/compare/align.h"

/* Numbers of the regions' names, equal where they are spelt alike, and of the files that define
 * them (without folders; unknown is a file, too): [regions] of either trace. */
struct align_names {
	uint32_t *of[ALIGN_SIDES], *file[ALIGN_SIDES];
	uint32_t n;
};

void align_names_init(struct align_names *names, const struct alignment *alignment);
void align_names_fini(struct align_names *names);

void align_paths_make(struct alignment *alignment, const struct cube *const cubes[ALIGN_SIDES]);
void align_places_make(struct alignment *alignment);
