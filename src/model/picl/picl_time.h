/* picl_time: reads times of a PICL file exactly, without floating point, in any form: "-0.715036",
 * "12", "1.5e-05", 400 digits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/units.h"

enum { PICL_MAX_DIGITS = 12 };

/* Times in ticks are within +-PICL_TIME_LIMIT, so that the difference of any two, and the sum of
 * two differences, fits 64 bits: 73 years of nanoseconds on either side. */
#define PICL_TIME_LIMIT (INT64_MAX / 4)

/* The extent of a file's times. */
struct picl_times {
	int digits;     /* most digits after a point */
	uint64_t whole; /* largest whole part, saturated */
};

/* The conversion of a file's times to ticks. */
struct picl_clock {
	struct timescale scale; /* digits: the file's finest, at most 12 */
	int tick_digits;        /* a tick is 10^-tick_digits seconds or coarser: 9 or more */
	int64_t factor; /* ticks of one unit of the last of `digits`; 0: see picl_clock_rate() */
};

/* The clock for such times: nanoseconds if they suffice, else as many digits as the file has, up to
 * 12, and fewer if 64 bits would overflow. */
void picl_clock_init(struct picl_clock *clock, const struct picl_times *times);
/* The clock of a file with a tick rate in its header (per_second: 1 .. 10^12): each time is the
 * tick nearest to its decimal digits. */
void picl_clock_rate(struct picl_clock *clock, const struct picl_times *times, int64_t per_second);
/* The tick of a number (>= 0, below 10^18) of units of the last of the clock's digits. */
int64_t picl_clock_tick(const struct picl_clock *clock, int64_t units);
/* The reverse, as units_seconds() does. */
int64_t picl_clock_units(const struct picl_clock *clock, int64_t ticks);

enum picl_time_form {
	TIME_CANONICAL, /* exactly as units_seconds() writes it with the file's digits */
	TIME_OTHER,     /* the same value in another form: fewer digits, an exponent, a sign */
	TIME_FINER,     /* more digits than a tick holds: rounded */
	TIME_RANGE,     /* beyond PICL_TIME_LIMIT: limited to it */
	TIME_INVALID,   /* not a number, or nan or inf */
};

/* Reads a whole token. */
enum picl_time_form picl_time_read(const char *text, size_t n, const struct picl_clock *clock,
				   int64_t *ticks);

/* Widens `times` by a token; false if it is not a number. */
bool picl_times_add(struct picl_times *times, const char *text, size_t n);
