/* Preloaded into the ranks of an MPI program: each gets a clock of its own, whose error is known.
 * The program is recorded with `tvrun --clock monotonic --clock-domain rank`; the counter of the
 * processor is not touched.
 *
 *	SKEW_START=NS SKEW_OFFSET=S SKEW_DRIFT=S/S SKEW_AMPLITUDE=S SKEW_PERIOD=S SKEW_TRUTH=PREFIX
 *
 * are the largest values of a rank; what a rank got is written to PREFIX.RANK. Ranks are told apart
 * by PMI_RANK; rank 0, and what is no rank, keeps its clock. */
#define _GNU_SOURCE
#include "bench/skew.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The clock of this process, as the recorder's: there is nobody to hand it to clock_gettime(). Set
 * before main(). */
static struct skew own = { .period = 1e9 };

static double number(const char *name, double otherwise)
{
	const char *text = getenv(name);

	return text ? strtod(text, NULL) : otherwise;
}

/* Between -1 and 1: the same in each run, another one for each rank and use. */
static double share(uint64_t rank, uint64_t use)
{
	uint64_t x = (rank * 8 + use + 1) * 0x9e3779b97f4a7c15u;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	x ^= x >> 31;
	return (double)(x >> 11) * 0x1p-52 - 1;
}

static void write_truth(long rank)
{
	const char *prefix = getenv("SKEW_TRUTH");
	char path[4096];
	FILE *f;

	if (!prefix || snprintf(path, sizeof path, "%s.%ld", prefix, rank) >= (int)sizeof path)
		return;
	f = fopen(path, "w");
	if (!f || !skew_write(&own, f) || fclose(f)) {
		fprintf(stderr, "skew: cannot write %s\n", path);
		_exit(1);
	}
}

static __attribute__((constructor)) void set_up(void)
{
	const char *text = getenv("PMI_RANK");
	const long rank = text ? strtol(text, NULL, 10) : 0;

	if (!text)
		return;
	own.start = number("SKEW_START", 0);
	own.period = 1e9 * number("SKEW_PERIOD", 1);
	if (rank > 0) {
		const uint64_t r = (uint64_t)rank;
		own.offset = 1e9 * number("SKEW_OFFSET", 0) * share(r, 0);
		own.drift = number("SKEW_DRIFT", 0) * share(r, 1);
		own.amplitude = 1e9 * number("SKEW_AMPLITUDE", 0) * share(r, 2);
	}
	write_truth(rank);
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
	const int64_t second = 1000000000;
	const int rc = (int)syscall(SYS_clock_gettime, id, ts);
	int64_t t;

	if (rc || (id != CLOCK_MONOTONIC && id != CLOCK_MONOTONIC_RAW))
		return rc;
	t = (int64_t)ts->tv_sec * second + ts->tv_nsec;
	t += (int64_t)floor(skew_error(&own, (double)t));
	ts->tv_sec = t / second;
	ts->tv_nsec = t % second;
	return 0;
}
