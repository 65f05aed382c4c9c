/* sample_sums: samples of a query, counted by function or by source line.
 *
 * A sample says where a location was; it is for one period of its generator's time, of which
 * nothing else is known (tvrun --sample: own time of a thread outside of MPI). So a function has
 *
 *	time  = samples * period
 *	error = period * sqrt(sum of w^2 over its draws)
 *
 * Samples at one time on one location, at one site, are one draw of w: the kernel looked once after
 * w periods. With w = 1 that is the standard deviation of a count, sqrt(n).
 *
 * Samples outside all recorded regions divide the time there: what they do not have is time in
 * which the location was not on a processor, in the kernel, or in the recorder. */
#pragma once

#include "views/query/view.h"

struct sample_sum {
	uint32_t region; /* of the sampled function */
	uint32_t inside; /* the recorded region around it, UINT32_MAX: none */
	uint32_t file;   /* string; by line, else 0 */
	uint32_t line;
	int32_t rank;   /* by rank, else RANK_UNKNOWN */
	uint64_t count; /* samples */
	double time;    /* ticks; 0 if the generators have no period in time */
	double squares; /* square of the error, ticks^2 */
};

/* BY_REGION: whatever is around it, so that all rows have `inside` UINT32_MAX. */
enum sample_by { SAMPLES_BY_LINE = 1, SAMPLES_BY_RANK = 2, SAMPLES_BY_REGION = 4 };

struct sample_sums {
	VEC(struct sample_sum) rows; /* in the order of the first sample */
	int64_t outside;             /* ticks outside all regions, of the locations and window */
};

/* Sums over `locations`, of all processes of `x` (NULL: of this one); `by`: bits of enum
 * sample_by. Cancelled: what was counted so far. O(events of the window): traces without samples
 * (trace_has_detail()) need not be asked. */
struct exchange;
void sample_sums_make(struct sample_sums *sums, const struct query *query,
		      const uint32_t *locations, size_t n, unsigned by, struct exchange *x);
void sample_sums_fini(struct sample_sums *sums);

/* Of all rows outside recorded regions, ticks. */
double sample_sums_outside(const struct sample_sums *sums);
