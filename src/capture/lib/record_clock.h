/* record_clock: the clock of a rank's file (record.h): the processor's time stamp counter, or the
 * kernel's, in ticks of one nanosecond. libc only. */
#pragma once

#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

enum tv_clock { TV_CLOCK_MONOTONIC = 0, TV_CLOCK_TSC = 1 };

static inline uint64_t tv_nanoseconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static inline uint64_t tv_ticks(uint32_t clock)
{
#if defined(__x86_64__)
	if (clock == TV_CLOCK_TSC)
		return __rdtsc();
#else
	(void)clock;
#endif
	return tv_nanoseconds();
}

/* Reads both clocks at one moment: the closest pair of several tries. */
static inline void tv_ticks_and_nanos(uint32_t clock, uint64_t *ticks, uint64_t *nanos)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 8; i++) {
		const uint64_t before = tv_ticks(clock);
		const uint64_t between = tv_nanoseconds();
		const uint64_t after = tv_ticks(clock);
		if (after - before >= best)
			continue;
		best = after - before;
		*ticks = before + best / 2;
		*nanos = clock == TV_CLOCK_TSC ? between : *ticks;
	}
}
