/* clock: what a rank's clock shows at a true time:
 *
 *	C(t) = t + offset + drift (t - t0) + amplitude sin(2 pi (t - t0) / period + phase) + slews(t) + walk(t) + jump(t) + step(t)
 *
 * t0 is the start of the run, SIMULATION_START. Slews are what a time daemon does to a clock: its
 * rate is another one from time to time. A walk is what temperature does: its rate changes a little
 * each interval, from where it was. A reading adds an error between 0 and the jitter (it is
 * taken late, never early) and is cut down to the resolution. Times in picoseconds. */
#pragma once

#include <stddef.h>

#include "base/vec.h"
#include "settings.h"

#define SIMULATION_START PICO

/* From this time on the clock gains `rate` of the time that passes. */
struct slew {
	int64_t from;
	double gained; /* until then */
	double rate;
};

typedef VEC(struct slew) slew_vec;

struct clock {
	uint64_t seed;
	uint32_t id; /* rank or node */
	double offset, drift, amplitude, period, phase;
	double jump, jump_at, step, step_at;
	double jitter, resolution;
	slew_vec slews, walk;
};

void clock_init(struct clock *clock, const struct settings *settings, uint32_t id, int64_t end);
void clock_fini(struct clock *clock);
/* C(t) - t. O(log slews). */
double clock_error(const struct clock *clock, int64_t t);
/* A reading; `nth` tells readings of one time apart. Not monotonic with jitter. */
int64_t clock_read(const struct clock *clock, int64_t t, uint64_t nth);
