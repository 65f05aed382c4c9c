/* jobs: the same work on each of many things, by several threads.
 *
 * Free threads take things in ascending order, one at a time; the caller is one of the threads.
 * Results must not depend on which thread did what: the work writes only to data of its thing or of
 * its worker, and the caller puts that together in order.
 *
 *	struct sums { uint64_t of[JOBS_MOST]; ... } sums = ...;
 *	static void add_up(void *context, unsigned worker, size_t thing);
 *	jobs_run(jobs_count(options->jobs), n, add_up, &sums);
 *
 * Threads: may be called from any; calls do not disturb each other. Workers take no signals. */
#pragma once

#include <stddef.h>

enum { JOBS_MOST = 64 };

/* Number of threads, 1 .. JOBS_MOST; wanted 0: as many as the processors this process may run
 * on. */
unsigned jobs_count(int wanted);

/* Calls work(context, worker, i) for every i < n, worker < jobs; returns when all are done. Where
 * the system gives no more threads, fewer do the work. */
void jobs_run(unsigned jobs, size_t n, void (*work)(void *context, unsigned worker, size_t thing),
	      void *context);
