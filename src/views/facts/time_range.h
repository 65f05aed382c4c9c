/* time_range: two times as one text, "401-423 ms", in one unit; a single time if both look alike in
 * the digits shown. */
#pragma once

#include "base/str.h"
#include "base/units.h"

/* Appends [low, high], ticks; `digits` significant ones of the larger. */
void time_range_text(struct str *out, double low, double high, int digits,
		     const struct timescale *scale);
