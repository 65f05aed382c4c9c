#include "model/picl/picl_time.h"

#include <string.h>

#include "model/picl/descriptor.h"

/* Limit of a written exponent: any larger one is out of range just as well. */
enum { MOST_EXPONENT = 1000000 };

/* A decimal number: mantissa * 10^exponent. Digits that do not fit are dropped from the end of the
 * mantissa, which is then not exact. */
struct decimal {
	unsigned __int128 mantissa;
	int64_t exponent;
	int64_t fraction; /* digits after the point that the value needs, with its exponent */
	bool negative;
	bool exact;
};

/* Reads a whole token. */
static bool decimal_read(const char *p, size_t n, struct decimal *d)
{
	const char *const end = p + n;
	const unsigned __int128 limit = (unsigned __int128)1 << 120;
	bool point = false, is_float, saturated;
	int64_t exponent = 0;
	size_t whole;

	*d = (struct decimal){ .exact = true, .negative = n && *p == '-' };
	if (n == 0 || descriptor_number(p, end, &whole) != n)
		return false;
	for (p += *p == '-' || *p == '+'; p < end && *p != 'e' && *p != 'E'; p++) {
		if (*p == '.') {
			point = true;
			continue;
		}
		d->fraction += point;
		if (d->mantissa < limit) {
			d->mantissa = d->mantissa * 10 + (unsigned)(*p - '0');
			d->exponent -= point;
		} else {
			d->exact = d->exact && *p == '0';
			d->exponent += !point;
		}
	}
	if (p < end)
		descriptor_integer(p + 1, end, &exponent, &is_float, &saturated);
	if (exponent > MOST_EXPONENT || exponent < -MOST_EXPONENT)
		exponent = exponent > 0 ? MOST_EXPONENT : -MOST_EXPONENT;
	d->exponent += exponent;
	d->fraction = d->fraction > exponent ? d->fraction - exponent : 0;
	return true;
}

void picl_clock_init(struct picl_clock *clock, const struct picl_times *times)
{
	int64_t rate = 1000000000;
	int digits = times->digits < PICL_MAX_DIGITS ? times->digits : PICL_MAX_DIGITS;

	clock->tick_digits = 9;
	while (clock->tick_digits < digits &&
	       times->whole < (uint64_t)(PICL_TIME_LIMIT / 10 / rate) - 1) {
		clock->tick_digits++;
		rate *= 10;
	}
	if (digits > clock->tick_digits)
		digits = clock->tick_digits;
	clock->scale = (struct timescale){ rate, digits };
	clock->factor = 1;
	for (int i = digits; i < clock->tick_digits; i++)
		clock->factor *= 10;
}

static const int64_t powers[PICL_MAX_DIGITS + 1] = {
	1,        10,        100,        1000,        10000,        100000,        1000000,
	10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000,
};

void picl_clock_rate(struct picl_clock *clock, const struct picl_times *times, int64_t per_second)
{
	const int digits = times->digits < PICL_MAX_DIGITS ? times->digits : PICL_MAX_DIGITS;

	clock->scale = (struct timescale){ per_second, digits };
	clock->factor = 0;
	clock->tick_digits = digits > 9 ? digits : 9;
	while (clock->tick_digits < PICL_MAX_DIGITS && powers[clock->tick_digits] < per_second)
		clock->tick_digits++;
}

int64_t picl_clock_tick(const struct picl_clock *clock, int64_t units)
{
	const int64_t unit = powers[clock->scale.digits];
	const unsigned __int128 part =
		(unsigned __int128)(units % unit) * (uint64_t)clock->scale.per_second;

	return units / unit * clock->scale.per_second +
	       (int64_t)((part + (uint64_t)unit / 2) / (uint64_t)unit);
}

int64_t picl_clock_units(const struct picl_clock *clock, int64_t ticks)
{
	const int64_t rate = clock->scale.per_second, unit = powers[clock->scale.digits];
	const unsigned __int128 part = (unsigned __int128)(ticks % rate) * (uint64_t)unit;

	return ticks / rate * unit +
	       (int64_t)((part * 2 + (uint64_t)rate) / (2 * (unsigned __int128)rate));
}

/* Changes the exponent of a number; stops raising the mantissa above PICL_TIME_LIMIT. The number
 * becomes inexact if rounding drops digits. */
static void decimal_shift(struct decimal *d, int64_t exponent)
{
	for (; d->exponent > exponent && d->mantissa && d->mantissa <= PICL_TIME_LIMIT;
	     d->exponent--)
		d->mantissa *= 10;
	for (; d->exponent < exponent && d->mantissa; d->exponent++) {
		const unsigned digit = (unsigned)(d->mantissa % 10);
		d->exact = d->exact && digit == 0;
		d->mantissa = d->mantissa / 10 + (d->exponent == exponent - 1 && digit >= 5);
	}
}

/* The tick of a time on a clock with its own rate. */
static unsigned __int128 tick_of(const struct picl_clock *clock, struct decimal *d)
{
	const uint64_t rate = (uint64_t)clock->scale.per_second;
	unsigned __int128 whole, part = 0;

	decimal_shift(d, d->exponent > 0                  ? 0
			 : d->exponent < -PICL_MAX_DIGITS ? -PICL_MAX_DIGITS
							  : d->exponent);
	whole = d->mantissa;
	if (d->exponent < 0 && whole) {
		const uint64_t unit = (uint64_t)powers[-d->exponent];
		part = (whole % unit * rate + unit / 2) / unit;
		whole /= unit;
	}
	return whole > PICL_TIME_LIMIT ? whole : whole * rate + part;
}

/* True if the writer would write the value in the same way. */
static bool is_canonical(const char *text, size_t n, int64_t ticks, const struct picl_clock *clock)
{
	OWNED_STR made = STR_INIT;

	units_seconds(&made, ticks, &clock->scale, clock->scale.digits);
	return made.n == n && memcmp(made.text, text, n) == 0;
}

enum picl_time_form picl_time_read(const char *text, size_t n, const struct picl_clock *clock,
				   int64_t *ticks)
{
	struct decimal d;

	if (!decimal_read(text, n, &d))
		return TIME_INVALID;
	if (clock->factor == 0) {
		d.mantissa = tick_of(clock, &d);
		d.exponent = -clock->tick_digits;
	}
	decimal_shift(&d, -clock->tick_digits);
	if (d.mantissa > PICL_TIME_LIMIT) {
		*ticks = d.negative ? -PICL_TIME_LIMIT : PICL_TIME_LIMIT;
		return TIME_RANGE;
	}
	*ticks = d.negative ? -(int64_t)d.mantissa : (int64_t)d.mantissa;
	if (!d.exact)
		return TIME_FINER;
	return is_canonical(text, n, *ticks, clock) ? TIME_CANONICAL : TIME_OTHER;
}

bool picl_times_add(struct picl_times *times, const char *text, size_t n)
{
	struct decimal d;
	int64_t shift;

	if (!decimal_read(text, n, &d))
		return false;
	if (d.fraction > times->digits)
		times->digits = d.fraction < 1000 ? (int)d.fraction : 1000;
	for (shift = d.exponent; shift < 0 && d.mantissa; shift++)
		d.mantissa /= 10;
	for (; shift > 0 && d.mantissa && d.mantissa <= UINT64_MAX; shift--)
		d.mantissa *= 10;
	if (d.mantissa > UINT64_MAX)
		d.mantissa = UINT64_MAX;
	if ((uint64_t)d.mantissa > times->whole)
		times->whole = (uint64_t)d.mantissa;
	return true;
}
