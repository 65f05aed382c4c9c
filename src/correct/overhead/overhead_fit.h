/* overhead_fit: what a function's record costs, fitted to the segments of a class around its gaps
 * (doc/references.md).
 *
 * Of segment i: duration d, function records v, of which the clock was read for r, and u were
 * notes of a gap alone; T is its number, scaled to -1 .. 1 about the mean. With the mean v' of v
 *
 *	d/v' = a (v/v') + b (v/v') T + O (r/v') + N (u/v') + c		weights 1/v
 *
 * by least squares; c only where v varies by more than 2 %. N can be told from a where there are
 * blank gaps, which have neither records nor notes: O is then what a record costs more than a probe
 * that does nothing, N what a note does. Without them N is left out, and O is what a record costs
 * more than a note.
 *
 * Segments that interrupts made longer are dropped before, by their time a record, and by their
 * residuals; an eighth at most at once. Time O(segments log segments). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct fit_segment {
	double duration; /* ticks */
	double records;  /* above 0 */
	double read;     /* of them with the clock */
	double number;   /* of the segment */
	bool gap;
	bool blank; /* with it: no notes either */
};

enum {
	FIT_GAPS_LEAST = 3,  /* of a kind: with notes, or blank */
	FIT_PARTS = 8,       /* of a class's segments, each left out in turn */
	FIT_PARTS_GAPS = 16, /* gaps, before they are */
};

struct record_fit {
	/* O, ticks; its standard error: that of the residuals, or what leaving out one of FIT_PARTS
	 * successive parts at a time shows (a jackknife), which sees drift and bursts, too. */
	double cost, error;
	double note; /* N; 0 where that is unknown */
	size_t gaps; /* that it is from */
	bool blank;  /* O and N are against a probe that does nothing */
	bool known;  /* else nothing can be said */
};

/* `delay`: ticks before each record that are known (tvrun --probe-delay); gaps have none. They are
 * in `cost`. */
struct record_fit fit_record_cost(const struct fit_segment *segments, size_t n, double delay);
