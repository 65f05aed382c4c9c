/* overhead_outliers: what came between while a program was recorded. Another program, a timer or a
 * slower processor lengthens some segments, and some receives. Where a share q of the time is
 * spent in probes, so is that of k equal events which meets them: q, give or take two of its
 * errors, sqrt(q (1 - q) / k). Without probes none of that would have come. The trace does not tell
 * it from work of the program that takes longer now and then, so it bounds the lower time alone. */
#pragma once

#include "correct/overhead/overhead_spread.h"

/* Of the segments of a class. */
struct outliers {
	double usual, limit; /* ticks a record: the median, and what is above others; 0 unknown */
	double share; /* of the excess over `usual`: the part that may have met probes, at most */
};

/* `rates`: ticks a record of segments, with their ticks as weights; a probe costs `cost`. */
struct outliers outliers_of(const struct spread *rates, double cost);
/* What part of k equal events may have met probes, at most; q from 0 on. */
double outliers_share(double q, double k);
