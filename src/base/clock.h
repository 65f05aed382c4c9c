/* clock: time that has passed, for limits and pauses; not the times of traces. */
#pragma once

#include <stdint.h>
#include <time.h>

static inline int64_t clock_read(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Nanoseconds, and milliseconds, since some moment. */
static inline int64_t clock_ns(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

static inline int64_t clock_ms(void)
{
	return clock_ns() / 1000000;
}

/* Nanoseconds of the processor that the thread has had: a busy machine does not change what they
 * allow. */
static inline int64_t clock_cpu_ns(void)
{
	return clock_read(CLOCK_THREAD_CPUTIME_ID);
}
