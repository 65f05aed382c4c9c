/* step_find: clocks that were set while the program ran (a time daemon steps a clock): a jump of
 * one clock against the others, found in measured times before any line is laid through them, where
 * the bounds that messages give before and after do not meet (step_scan.h; doc/references.md).
 *
 * Steps are taken out of measured times and of offset records: times after one are smaller by its
 * size. Only a step of at least 2.2 times the room that messages leave is taken. */
#pragma once

#include "correct/fit/fit.h"

struct clocks;

/* The steps of all clocks, by clock and time. */
struct clock_steps {
	struct fit_step *data; /* [n] */
	uint32_t *clock;       /* [n] of each */
	uint32_t n;
	uint32_t *first;        /* [clocks + 1] */
	struct offset *offsets; /* [trace_offset_count()] the trace's without the steps */
};

/* Looks at all messages between clocks: a pass over them. Several processes find the same.
 * False: dropped. */
bool steps_find(struct clock_steps *steps, const struct clocks *clocks,
		const struct logical *logical, const struct progress *progress);
void steps_fini(struct clock_steps *steps);

/* True if times of a clock were held back at this one. */
static inline bool steps_held(const struct clock_steps *steps, uint32_t clock, int64_t measured)
{
	for (uint32_t i = steps->first[clock]; i < steps->first[clock + 1]; i++)
		if (measured == steps->data[i].held)
			return true;
	return false;
}

/* What the steps of a clock have added to its measured time by then, ticks. */
static inline int64_t steps_until(const struct clock_steps *steps, uint32_t clock, int64_t measured)
{
	int64_t sum = 0;

	for (uint32_t i = steps->first[clock]; i < steps->first[clock + 1]; i++)
		sum += measured >= steps->data[i].at ? steps->data[i].size : 0;
	return sum;
}
