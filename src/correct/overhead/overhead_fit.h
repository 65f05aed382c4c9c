/* overhead_fit: what a function's record costs more than one of a gap, fitted to the segments of a
 * class around its gaps (doc/references.md).
 *
 * Of segment i: duration d, function records v, of which the clock was read for r; T is its number,
 * scaled to -1 .. 1 about the mean. With the mean v' of v
 *
 *	d/v' = a (v/v') + b (v/v') T + O (r/v') + c		weights 1/v
 *
 * by least squares; c only where v varies by more than 2 %. Segments that interrupts made longer
 * are dropped before, by their time a record, and by their residuals; an eighth at most at once.
 * Time O(segments log segments). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct fit_segment {
	double duration; /* ticks */
	double records;  /* above 0 */
	double read;     /* of them with the clock */
	double number;   /* of the segment */
	bool gap;
};

enum { FIT_GAPS_LEAST = 3 };

struct record_fit {
	double cost, error; /* O, ticks; its standard error */
	bool known;         /* else nothing can be said */
};

struct record_fit fit_record_cost(const struct fit_segment *segments, size_t n);
