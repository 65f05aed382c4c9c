/* part: which part of a trace is loaded (load_part), for the readers of formats: the window on the
 * clock of a location, and what the title says. */
#pragma once

#include "model/build/builder.h"
#include "model/build/load_options.h"

/* The times from which and until which a location's own clock shows a window of the reference
 * clock, a millisecond wider on both sides: offsets are only ever interpolated. `offsets` are the
 * location's, by time. */
void part_window(const struct load_part *part, const struct timescale *scale,
		 const struct offset *offsets, size_t n, int64_t *from, int64_t *until);

/* Tells the builder what is loaded: "ranks 0-3", "1.2 s to 1.4 s"; nothing for all of it. */
void part_tell(struct builder *b, const struct load_part *part);
