/* cost: milliseconds of a clock; what a program of the benchmark took so far. */
#pragma once

#include <time.h>

static inline double ms_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static inline double cpu_ms(void)
{
	return ms_of(CLOCK_PROCESS_CPUTIME_ID);
}
