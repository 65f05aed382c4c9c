/* chance: by how much values may differ by chance alone. */
#pragma once

#include <stddef.h>

/* Student's t that is exceeded on either side with this chance in all; `freedom` above 0, that of
 * more than 1000 is taken as 1000. */
double chance_quantile(double chance, size_t freedom);

/* How far the sum of values that come one after the other may be from n times what they are about,
 * but for this chance: t * s * sqrt(n). Neighbours may be alike, as where a machine is busy for a
 * while: sums of 2, 4, 8 ... neighbours are values, too, as long as there are 8 (batch means); the
 * largest answer counts. INFINITY of fewer than three. */
double chance_of_sum(const double *values, size_t n, double chance);
