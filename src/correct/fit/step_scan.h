/* step_scan: where the messages of one pair of clocks show that one of them was set (a time daemon
 * steps a clock): bounds before and after a time that do not meet, however clocks drift
 * (doc/references.md). Pure functions of points; times in nanoseconds.
 *
 * A message from clock i to clock j gives an upper bound of C_j - C_i, one from j to i a lower
 * bound. A bound goes on for other times within a cone: clocks drift by at most a rate. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct step_point {
	double time;  /* ns, on clock i: of the send or of the receive there */
	double value; /* ns: of the other clock, less that */
	bool upper;
};

/* A step of a pair: it is after `from` and not after `to`. */
struct pair_step {
	double from, to;             /* ns, on clock i */
	double other_from, other_to; /* the same on clock j */
	double least, most;          /* ns: of the step of C_j - C_i */
};

typedef VEC(struct step_point) step_point_vec;
typedef VEC(struct pair_step) pair_step_vec;

enum { STEP_WITNESSES = 3 }; /* points that contradict those before, at least */

/* By time; ties by what they say, so that their order does not matter. */
void step_points_sort(step_point_vec *points);

/* The steps of sorted points at a rate, in their order. Points that fewer than STEP_WITNESSES
 * others confirm are mismatched messages: they are removed, and counted. No steps where there are
 * fewer than STEP_WITNESSES points of a kind, or where removing does not end. O(points). */
uint64_t step_scan(step_point_vec *points, double rate, pair_step_vec *out);

/* The rate at which bounds near a step are carried to it. */
double step_fine_rate(double rate);

/* A step that the points leave room for at a time, least and most; infinite where they say
 * nothing. */
void step_room(const step_point_vec *points, double time, double fine, double *least, double *most);

/* The middle of the bounds of the up to 400 points before a time; false without both kinds. */
bool step_middle(const step_point_vec *points, double time, double *middle);

/* Rates that pairs of parts of the points demand, counted by size for 64, 32, 16 and 8 parts. */
enum { RATE_LEVELS = 4, RATE_BINS = 130 };
struct step_rates {
	uint64_t count[RATE_LEVELS][RATE_BINS];
};
void step_rates_add(struct step_rates *rates, const step_point_vec *points);
/* Ten times the largest of the levels' medians, between 1e-3 and 0.5. */
double step_rate(const struct step_rates *rates);
