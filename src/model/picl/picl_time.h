/* picl_time: times of a PICL file, as decimal integers. No floating point touches them, whatever
 * form they are written in: "-0.715036", "12", "1.5e-05", 400 digits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/units.h"

enum { PICL_MAX_DIGITS = 12 };

/* Times in ticks are in [-LIMIT, LIMIT], so that the difference of any two, and the sum of two
 * such, is one of 64 bits: 73 years of nanoseconds to either side. */
#define PICL_TIME_LIMIT (INT64_MAX / 4)

/* What the times of a file look like. */
struct picl_times {
	int digits;     /* most digits after a point */
	uint64_t whole; /* largest whole part, saturated */
};

/* How times are read: the file's digits, and the ticks that hold them. */
struct picl_clock {
	struct timescale scale; /* digits: the file's finest, at most 12 */
	int tick_digits;        /* a tick is 10^-tick_digits seconds or coarser: 9 or more */
	int64_t factor; /* ticks of one unit of the last of `digits`; 0: a rate of its own */
};

/* The finest clock that holds such times: nanoseconds where they do, else as many digits as the
 * file has, up to 12, and fewer where 64 bits would overflow. */
void picl_clock_init(struct picl_clock *clock, const struct picl_times *times);
/* The clock of a file that says how many ticks a second has (1 .. 10^12): each time is the tick
 * that is nearest to its decimal digits. */
void picl_clock_rate(struct picl_clock *clock, const struct picl_times *times, int64_t per_second);
/* The tick of a number (>= 0, below 10^18) of units of the last of the clock's digits. */
int64_t picl_clock_tick(const struct picl_clock *clock, int64_t units);
/* And back, as units_seconds() does. */
int64_t picl_clock_units(const struct picl_clock *clock, int64_t ticks);

enum picl_time_form {
	TIME_CANONICAL, /* exactly as units_seconds() writes it with the file's digits */
	TIME_OTHER,     /* the same value in other words: fewer digits, an exponent, a sign */
	TIME_FINER,     /* more digits than a tick holds: rounded */
	TIME_RANGE,     /* beyond PICL_TIME_LIMIT: saturated */
	TIME_INVALID,   /* no number, or nan or inf */
};

/* Reads a whole token. */
enum picl_time_form picl_time_read(const char *text, size_t n, const struct picl_clock *clock,
				   int64_t *ticks);

/* Widens `times` by what the token looks like; false where it is not a number. */
bool picl_times_add(struct picl_times *times, const char *text, size_t n);
