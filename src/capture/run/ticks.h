/* ticks: from a rank's raw clock to the trace's nanoseconds, and which ranks share a clock.
 *
 * A clock is calibrated by two readings of (tick, CLOCK_MONOTONIC_RAW), as far apart as there are.
 * Ranks of one machine are converted with one calibration, so that the order of their records
 * survives. All arithmetic is integer: a 128-bit product and a shift, which keeps the order of
 * ticks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "capture/lib/record.h"

struct reading {
	uint64_t tick, nano;
};

struct calibration {
	uint64_t tick;   /* where nano is 0 of the result */
	int64_t nano;    /* nanoseconds at tick */
	uint64_t factor; /* nanoseconds a tick, times 2^56 */
};

/* From two readings; false where they are too close (under 5 ms) to say anything. */
bool calibrate(struct calibration *c, struct reading first, struct reading last);

/* A clock that counts nanoseconds. */
void calibrate_nanoseconds(struct calibration *c);

/* Within 36 years (2^60 ns) of 0, whatever a damaged file says. */
int64_t ticks_to_nanoseconds(const struct calibration *c, uint64_t tick);

/* How long so many ticks are, rounded; INT64_MAX at most. */
enum ticks_rounding { TICKS_DOWN, TICKS_NEAREST, TICKS_UP };
int64_t ticks_duration(const struct calibration *c, uint64_t ticks, enum ticks_rounding rounding);
/* How long one is, in nanoseconds. */
double ticks_length(const struct calibration *c);

/* Ticks a second, rounded. */
uint64_t calibration_frequency(const struct calibration *c);

/* One measurement of the offset of a rank's clock to rank 0's, in nanoseconds of the trace. */
struct clock_offset {
	int32_t rank;
	bool at_end;
	int64_t time;   /* local: when it holds */
	int64_t offset; /* to add to local times */
	int64_t rtt;    /* round trip, at rank 0 */
};

/* Cristian's method: rank 0 sent and received, the other rank read its clock in between. */
struct clock_offset clock_offset_make(int64_t sent, int64_t there, int64_t received);

/* True when the measurement does not contradict that both clocks are one: |offset| <= rtt / 2. */
bool clock_offset_may_be_zero(const struct clock_offset *offset);
