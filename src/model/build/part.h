/* part: helpers of readers that load a part of a trace (load_part): the window on the clock of a
 * location, and the text for the title. */
#pragma once

#include "model/build/builder.h"
#include "model/build/load_options.h"

/* Converts the window from the reference clock to a location's own clock, and widens it by a
 * millisecond on both sides, since offsets are only interpolated. `offsets` are the location's, by
 * time. */
void part_window(const struct load_part *part, const struct timescale *scale,
		 const struct offset *offsets, size_t n, int64_t *from, int64_t *until);

/* Tells the builder which part is loaded: "ranks 0-3", "1.2 s to 1.4 s"; nothing for the whole
 * trace. */
void part_tell(struct builder *b, const struct load_part *part);
