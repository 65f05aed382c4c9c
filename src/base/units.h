/* units: the only place where ticks become seconds and numbers become text for people.
 *
 * A trace counts time in ticks: signed 64-bit integers, `per_second` of them a second, from the
 * trace's own zero. Nothing else in the program divides by per_second. Texts for exchange (CSV,
 * PICL) are exact and independent of the locale; texts for people are short. No floating point
 * touches a time on its way in or out. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"

struct timescale {
	int64_t per_second; /* ticks a second, 1 .. 10^12 */
	int digits; /* digits after the point when written to a file (PICL: those of the source) */
};

/* Ticks of a nanosecond, and of a picosecond. */
extern const struct timescale units_nanoseconds, units_picoseconds;

/* Appends `ticks` as decimal seconds with exactly `digits` digits (0..12), rounded half away from
 * zero where the tick is finer. */
void units_seconds(struct str *out, int64_t ticks, const struct timescale *scale, int digits);

/* The same for times that follow each other: all but the last digits of the latest one are kept in
 * `near`, which is zeroed at first, and of one scale and number of digits. */
struct units_near {
	int64_t from;   /* the first time with these digits */
	uint64_t below; /* from there on so many ticks have them; 0: none are kept */
	uint32_t n;     /* of `text` */
	char text[32];
};
void units_seconds_near(struct str *out, int64_t ticks, const struct timescale *scale, int digits,
			struct units_near *near);

/* Whether a time has the digits that are kept, and eight more; then units_put_near() writes it: at
 * most UNITS_NEAR bytes from p on. */
enum { UNITS_NEAR_LAST = 8, UNITS_NEAR_BELOW = 100000000, UNITS_NEAR = 32 + UNITS_NEAR_LAST };
static inline bool units_is_near(const struct units_near *near, int64_t ticks)
{
	return (uint64_t)ticks - (uint64_t)near->from < near->below;
}

static inline char *units_put_near(char *p, int64_t ticks, const struct units_near *near)
{
	memcpy(p, near->text, sizeof near->text);
	return str_put_eight(p + near->n, (uint32_t)(ticks - near->from));
}

/* Digits that show a tick exactly, at least nine: what CSV exports use. */
int units_export_digits(const struct timescale *scale);

/* Appends a time for people: "412.113 ms", "1.204 s", "17 ns", "2 min 03 s"; `digits` significant
 * digits (3..9), but none finer than the tick. */
void units_human_time(struct str *out, int64_t ticks, const struct timescale *scale, int digits);

/* The same for a time that may be finer than the tick (a mean, say), and as seconds for exports. */
void units_human_part(struct str *out, double ticks, const struct timescale *scale, int digits);
double units_part_seconds(double ticks, const struct timescale *scale);

/* Decimal exponent of the unit in which times up to `ticks` read best: 0 (s), -3 (ms), -6 (us), -9
 * (ns), -12 (ps: where ticks are finer than a nanosecond); and its name. */
int units_exponent(int64_t ticks, const struct timescale *scale);
const char *units_exponent_name(int exponent);

/* Appends `ticks` as a decimal number of units of 10^exponent seconds with exactly `decimals`
 * digits (0..12), without the unit's name: several times in one unit ("412.1-413.9 ms", rulers). */
void units_in(struct str *out, int64_t ticks, const struct timescale *scale, int exponent,
	      int decimals);

/* The first tick at or after the round time mantissa * 10^exponent seconds (exponent -12..12),
 * held to the range of 64 bits. */
int64_t units_ticks(int64_t mantissa, int exponent, const struct timescale *scale);

/* Append a count with separators: "3,412,201"; bytes: "8,192 B", "1.5 MiB". */
void units_count(struct str *out, uint64_t count);
void units_bytes(struct str *out, uint64_t bytes);
/* 0.123: "12.3 %"; a share above zero that would print as zero: "< 0.1 %". */
void units_share(struct str *out, double share);
/* 0.123: "0.12"; a mean above zero that would print as zero: "< 0.01". */
void units_mean(struct str *out, double mean);

/* Reads "0.1", "0.1s", "250us", "-3ms", "12.5 ns" (seconds without a unit) exactly into ticks
 * (half a tick goes away from zero). False with err when text is not such a time or does not fit;
 * *end (may be NULL: then all of the text must be used) is set after what was read. */
bool units_parse_time(const char *text, const char **end, const struct timescale *scale,
		      int64_t *ticks, struct err *err);

/* Reads "64", "8k", "2M", "1.5G" (powers of 1024; also KiB, MiB, GiB). */
bool units_parse_bytes(const char *text, uint64_t *bytes, struct err *err);

/* "412.113-413.902 ms": both in one unit, with at least `digits` digits of their difference. */
void units_span(struct str *out, int64_t t0, int64_t t1, const struct timescale *units, int digits);
