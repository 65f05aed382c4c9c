/* clock_cases: simulated runs whose clocks, links and offset records are of many kinds, for tests of
 * what the corrections promise of all. */
#pragma once

#include <stddef.h>

#include "simulate/settings.h"

/* What a case changes of the usual run: six ranks on a ring, 0.2 s, 20 us and 10 us more on average
 * each way, records wrong by 20 us whose round trip is said to be 100 us. */
struct clock_case {
	const char *name, *program;
	uint32_t every, islands, node_ranks;
	double spread, latency, down, late, tail, jitter, intra;
	double noise, rtt; /* of records */
	bool cristian;     /* these are the shortest of 16 round trips over the links */
	double drift, sine, slew, walk; /* drift 0: 2e-5 */
	double step, step_rank;         /* of a clock; 0: that of rank 2; negative: of rank 0 */
	bool of_node;                   /* ranks of a node have one clock */
	bool far;     /* records 10 minutes before and after, drifts as measured */
	double most;  /* us: of the median, some twice what a prototype of the method came to */
	double share; /* of interpolation's median, instead of `most` */
};

extern const struct clock_case clock_cases[];
extern const size_t clock_cases_n;

struct settings clock_case_settings(const struct clock_case *c, uint64_t seed);
