/* clocked_run: made-up runs for the tests of corrections: messages of every kind, collectives of
 * every class on several communicators, MPI_Init and MPI_Finalize, what never found its partner;
 * written down by clocks with offsets, drifts, jumps, jitter and a resolution of their own. The
 * same seed gives the same trace. */
#pragma once

#include <stdbool.h>

#include "model/trace/trace.h"

struct clocked_options {
	uint64_t seed;
	uint32_t locations;
	uint32_t operations;
	int64_t per_second;
	uint32_t nodes;  /* locations are dealt out to them; 0: unknown */
	int64_t latency; /* ticks: least time of a message in truth */
	int64_t step;    /* ticks: mean time between two operations of a location */
	double offset;   /* ticks: clocks are off by up to this */
	double drift;    /* clocks run faster by up to this */
	double jump;     /* ticks: clocks jump forward by up to this, now and then */
	double jitter;   /* ticks: a reading is late by up to this */
	int64_t coarse;  /* ticks: resolution */
	bool no_groups;  /* messages alone */
	bool impossible; /* receives may come before the sends that they wait for in turn */
};

/* Options drawn from a seed: any mix of the errors above; even seeds have none but for the clocks'
 * resolution when `consistent`. */
struct clocked_options clocked_options(uint64_t seed, bool consistent);
struct trace *clocked_run(const struct clocked_options *options);
