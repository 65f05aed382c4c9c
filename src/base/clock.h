/* clock: elapsed time, for limits and pauses; times of traces are ticks (units.h). */
#pragma once

#include <stdint.h>
#include <time.h>

/* Work that goes on for longer is done in slices of so much processor time, between keys. A first
 * one, before the first picture, is less. */
enum { SLICE_NS = 6000000, FIRST_SLICE_NS = 1500000 };

static inline int64_t clock_read(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Nanoseconds, and milliseconds, since an arbitrary fixed moment. */
static inline int64_t clock_ns(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

static inline int64_t clock_ms(void)
{
	return clock_ns() / 1000000;
}

/* Processor time of the calling thread, ns: a limit in it does not depend on how busy the machine
 * is. */
static inline int64_t clock_cpu_ns(void)
{
	return clock_read(CLOCK_THREAD_CPUTIME_ID);
}
