/* robust: statistics that a few wild values do not move. None of them changes its values. */
#pragma once

#include <stddef.h>

/* 1.4826 times the median distance from the median: of normal values the standard deviation; 0 of
 * none. */
double robust_scatter(const double *values, size_t n);

/* The standard error of a median of many normal values, in those of their mean. */
#define ROBUST_MEDIAN_ERROR 1.2533

/* Whether values rise or fall with their index: the z of Mann and Kendall's test (Mann 1945), with
 * its correction for equal values; 0 of fewer than 3. O(n log n). */
double trend_significance(const double *values, size_t n);

/* By how much per index: the median of the slopes between all pairs (Theil, Sen 1968), of more than
 * 256 values between the means of 256 neighbouring groups. *middle is the value of the line in the
 * middle of the indices, (n - 1) / 2; NULL: not wanted. */
double trend_slope(const double *values, size_t n, double *middle);

/* The value that a normal variable stays below with a probability, 0 < p < 1; to 1e-9. */
double normal_quantile(double p);
