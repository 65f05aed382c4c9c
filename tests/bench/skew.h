/* skew: clocks with known errors for the ranks of a real program (skew.c), and how to get the true
 * time back (programs/accuracy.c):
 *
 *	C(t) = t + offset + drift (t - start) + amplitude sin(2 pi (t - start) / period)
 *
 * Nanoseconds of CLOCK_MONOTONIC_RAW. Rank 0 has the true clock. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

struct skew {
	double start, offset, drift, amplitude, period;
};

static inline double skew_error(const struct skew *skew, double t)
{
	const double passed = t - skew->start;

	return skew->offset + skew->drift * passed +
	       skew->amplitude * sin(2 * M_PI * passed / skew->period);
}

/* t with C(t) = shown: the error changes by far less than a hundredth of the time, so that each
 * round gains two digits and more. */
static inline double skew_invert(const struct skew *skew, double shown)
{
	double t = shown - skew->offset;

	for (int i = 0; i < 12; i++)
		t = shown - skew_error(skew, t);
	return t;
}

/* A rank's file: "start offset drift amplitude period". */
static inline bool skew_write(const struct skew *skew, FILE *f)
{
	return fprintf(f, "%.0f %.17g %.17g %.17g %.17g\n", skew->start, skew->offset, skew->drift,
		       skew->amplitude, skew->period) > 0;
}

static inline bool skew_read(struct skew *skew, FILE *f)
{
	return fscanf(f, "%lf %lf %lf %lf %lf", &skew->start, &skew->offset, &skew->drift,
		      &skew->amplitude, &skew->period) == 5;
}
