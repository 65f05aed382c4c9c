#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct timescale units_nanoseconds = { 1000000000, 9 };
const struct timescale units_picoseconds = { 1000000000000, 12 };

static const uint64_t powers[] = {
	1u,        10u,        100u,        1000u,        10000u,        100000u,       1000000u,
	10000000u, 100000000u, 1000000000u, 10000000000u, 100000000000u, 1000000000000u
};

enum { MAX_DIGITS = 12 };

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

int units_export_digits(const struct timescale *scale)
{
	int digits = 9;

	while (digits < MAX_DIGITS && scale->per_second > (int64_t)powers[digits])
		digits++;
	return digits;
}

/* Decimals that show `value` (>= 0) with `digits` significant digits after rounding: 9.9996 with
 * four digits is 10.00. */
static int decimals_for(double value, int digits)
{
	int decimals = digits - 1;

	while (decimals > 0 && value * (double)powers[decimals] + 0.5 >= (double)powers[digits])
		decimals--;
	return decimals;
}

void units_human_time(struct str *out, int64_t ticks, const struct timescale *scale, int digits)
{
	const double seconds = (double)magnitude(ticks) / (double)scale->per_second;
	const char *sign = ticks < 0 ? "-" : "";
	int step = 0, finest = 0, decimals;
	double value = seconds;

	if (ticks == 0) {
		str_add(out, "0 s");
		return;
	}
	if (seconds >= 120) {
		const uint64_t whole = (uint64_t)(seconds + 0.5);

		str_add_fmt(out, "%s%" PRIu64 " min %02" PRIu64 " s", sign, whole / 60, whole % 60);
		return;
	}
	while (finest < MAX_DIGITS && (int64_t)powers[finest] < scale->per_second)
		finest++;
	/* The largest unit with a nonzero digit before the point, but none finer than the tick. */
	while (step < 4 && step * 3 < finest && value < 1) {
		value *= 1000;
		step++;
	}
	decimals = decimals_for(value, digits);
	if (step > 0 && value * (double)powers[decimals] + 0.5 >= 1000 * (double)powers[decimals]) {
		value /= 1000;
		step--;
		decimals = decimals_for(value, digits);
	}
	if (decimals > finest - step * 3)
		decimals = finest > step * 3 ? finest - step * 3 : 0;
	str_add_fmt(out, "%s%.*f %s", sign, decimals, value, units_exponent_name(-3 * step));
}

double units_part_seconds(double ticks, const struct timescale *scale)
{
	return ticks / (double)scale->per_second;
}

void units_human_part(struct str *out, double ticks, const struct timescale *scale, int digits)
{
	const double parts =
		units_part_seconds(ticks, scale) * (double)units_picoseconds.per_second;

	/* Times longer than months need no picoseconds. */
	if (parts > -9e18 && parts < 9e18)
		units_human_time(out, (int64_t)(parts < 0 ? parts - 0.5 : parts + 0.5),
				 &units_picoseconds, digits);
	else if (ticks > -9e18 && ticks < 9e18)
		units_human_time(out, (int64_t)ticks, scale, digits);
	else
		str_add_char(out, '-');
}

int units_exponent(int64_t ticks, const struct timescale *scale)
{
	const unsigned __int128 size = magnitude(ticks);
	const int finest = scale->per_second > 1000000000 ? -12 : -9;
	int exponent = 0;

	while (exponent > finest && size * powers[-exponent] < (unsigned __int128)scale->per_second)
		exponent -= 3;
	return exponent;
}

const char *units_exponent_name(int exponent)
{
	static const char *const names[] = { "s", "ms", "us", "ns", "ps" };

	return names[-exponent / 3];
}

void units_in(struct str *out, int64_t ticks, const struct timescale *scale, int exponent,
	      int decimals)
{
	const uint64_t rate = (uint64_t)scale->per_second;
	const unsigned __int128 size = (unsigned __int128)magnitude(ticks) * powers[-exponent];
	const bool small = size <= UINT64_MAX;
	unsigned __int128 whole = small ? (uint64_t)size / rate : size / rate;
	const uint64_t rest = small ? (uint64_t)size % rate : (uint64_t)(size % rate);
	uint64_t fraction =
		rate == powers[decimals]
			? rest
			: (uint64_t)(((unsigned __int128)rest * powers[decimals] * 2 + rate) /
				     (2 * (unsigned __int128)rate));
	char *p;

	if (fraction >= powers[decimals]) {
		fraction -= powers[decimals];
		whole++;
	}
	if (ticks < 0 && (whole || fraction))
		str_add_char(out, '-');
	if (whole <= INT64_MAX)
		str_add_int(out, (int64_t)whole);
	else if (whole <= UINT64_MAX)
		str_add_fmt(out, "%" PRIu64, (uint64_t)whole);
	else /* 10^12 units a second and more than 200 days */
		str_add_fmt(out, "%.0f", (double)whole);
	if (!decimals)
		return;
	p = str_room(out, 1 + MAX_DIGITS);
	*p++ = '.';
	str_end(out, str_put_fixed(p, fraction, decimals));
}

void units_seconds(struct str *out, int64_t ticks, const struct timescale *scale, int digits)
{
	const int decimals = digits < MAX_DIGITS ? digits : MAX_DIGITS;
	const int64_t rate = scale->per_second;
	char *p;

	if (ticks < 0 || decimals < 1 || rate != (int64_t)powers[decimals]) {
		units_in(out, ticks, scale, 0, decimals);
		return;
	}
	/* Most times of most traces. */
	p = str_put_int(str_room(out, STR_INT + 1 + MAX_DIGITS), ticks / rate);
	*p++ = '.';
	str_end(out, str_put_fixed(p, (uint64_t)(ticks % rate), decimals));
}

void units_seconds_near(struct str *out, int64_t ticks, const struct timescale *scale, int digits,
			struct units_near *near)
{
	const size_t begin = out->n;

	if (units_is_near(near, ticks)) {
		str_end(out, units_put_near(str_room(out, UNITS_NEAR), ticks, near));
		return;
	}
	units_seconds(out, ticks, scale, digits);
	if (ticks < 0 || digits < UNITS_NEAR_LAST || digits > MAX_DIGITS ||
	    scale->per_second != (int64_t)powers[digits])
		return;
	near->from = ticks - ticks % UNITS_NEAR_BELOW;
	near->below = UNITS_NEAR_BELOW;
	near->n = (uint32_t)(out->n - begin - UNITS_NEAR_LAST);
	memcpy(near->text, out->text + begin, near->n);
}

int64_t units_ticks(int64_t mantissa, int exponent, const struct timescale *scale)
{
	__int128 ticks = (__int128)mantissa * scale->per_second;

	if (exponent < 0) {
		const __int128 unit = (__int128)powers[-exponent];
		const __int128 whole = ticks / unit;

		ticks = whole + (ticks > whole * unit);
	} else if (ticks > INT64_MAX || ticks < INT64_MIN) {
		return ticks < 0 ? INT64_MIN : INT64_MAX;
	} else {
		ticks *= (__int128)powers[exponent];
	}
	return ticks > INT64_MAX ? INT64_MAX : ticks < INT64_MIN ? INT64_MIN : (int64_t)ticks;
}

void units_count(struct str *out, uint64_t count)
{
	char digits[24];
	const int n = snprintf(digits, sizeof digits, "%" PRIu64, count);

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			str_add_char(out, ',');
		str_add_char(out, digits[i]);
	}
}

void units_bytes(struct str *out, uint64_t bytes)
{
	static const char *const names[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double value = (double)bytes / 1024;
	size_t i = 0;

	if (bytes < 100000) {
		units_count(out, bytes);
		str_add(out, " B");
		return;
	}
	while (value >= 1023.95 && i + 1 < sizeof names / sizeof *names) {
		value /= 1024;
		i++;
	}
	str_add_fmt(out, "%.1f %s", value, names[i]);
}

/* Decimal exponent of the unit name at p, and its length; false if there is no unit. */
static bool unit_at(const char *p, int *exponent, size_t *length)
{
	static const struct {
		const char *name;
		int exponent;
	} names[] = { { "ms", -3 }, { "us", -6 },  { "\xc2\xb5s", -6 },
		      { "ns", -9 }, { "ps", -12 }, { "s", 0 } };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		*length = strlen(names[i].name);
		*exponent = names[i].exponent;
		if (strncmp(p, names[i].name, *length) == 0)
			return true;
	}
	return false;
}

/* Reads digits with at most one point at *p into mantissa * 10^exponent, as far as they matter:
 * digits of the fraction beyond about the 25th are skipped. False if there is no digit or the whole
 * part is too large. */
static bool parse_decimal(const char **p, unsigned __int128 *mantissa, int *exponent)
{
	const unsigned __int128 limit = ((unsigned __int128)1 << 86) / 10 - 1;
	bool point = false, any = false;

	*mantissa = 0;
	*exponent = 0;
	for (; (**p >= '0' && **p <= '9') || (**p == '.' && !point); ++*p) {
		if (**p == '.') {
			point = true;
			continue;
		}
		any = true;
		if (*mantissa > limit) {
			if (!point)
				return false;
			continue;
		}
		*mantissa = *mantissa * 10 + (unsigned)(**p - '0');
		*exponent -= point;
	}
	return any;
}

bool units_parse_time(const char *text, const char **end, const struct timescale *scale,
		      int64_t *ticks, struct err *err)
{
	const char *p = text + strspn(text, " \t");
	const bool negative = *p == '-';
	unsigned __int128 size;
	int exponent, unit;
	size_t length;

	p += *p == '-' || *p == '+';
	if (!parse_decimal(&p, &size, &exponent))
		return err_set(err, STATUS_USAGE, "'%s' is not a time (write 0.25, 250ms, 12us)",
			       text);
	if (unit_at(p + strspn(p, " "), &unit, &length)) {
		p += strspn(p, " ") + length;
		exponent += unit;
	}
	if (end)
		*end = p;
	else if (*p)
		return err_set(err, STATUS_USAGE,
			       "'%s' is not a time: '%s' cannot be read (write 0.25, 250ms, 12us)",
			       text, p);
	/* ticks = size * per_second * 10^exponent, rounded half away from zero; exponent <= 0. */
	size *= (uint64_t)scale->per_second;
	for (; exponent < -1; exponent++)
		size /= 10;
	if (exponent == -1)
		size = (size + 5) / 10;
	if (size > (unsigned __int128)INT64_MAX + negative)
		return err_set(err, STATUS_USAGE,
			       "the time '%s' does not fit into 64 bits of the trace's ticks",
			       text);
	*ticks = (int64_t)(negative ? 0 - (uint64_t)size : (uint64_t)size);
	return true;
}

bool units_parse_bytes(const char *text, uint64_t *bytes, struct err *err)
{
	static const char letters[] = "kmgt";
	unsigned __int128 size;
	const char *p = text;
	const char *letter;
	int exponent;

	if (!parse_decimal(&p, &size, &exponent))
		return err_set(err, STATUS_USAGE, "'%s' is not a size (write 4096, 64k, 1.5G)",
			       text);
	letter = *p ? strchr(letters, *p | 0x20) : NULL;
	if (letter) {
		/* 2^86 * 2^40 still fits. */
		size <<= 10 * (letter - letters + 1);
		p++;
		p += *p == 'i';
	}
	p += *p == 'B';
	for (; exponent < 0; exponent++)
		size /= 10;
	if (*p || size > INT64_MAX)
		return err_set(err, STATUS_USAGE,
			       "'%s' cannot be read as a size (write 4096, 64k, 1.5G)", text);
	*bytes = (uint64_t)size;
	return true;
}

void units_span(struct str *out, int64_t t0, int64_t t1, const struct timescale *units, int digits)
{
	const uint64_t a = magnitude(t0), b = magnitude(t1);
	const int unit = units_exponent((int64_t)((a > b ? a : b) & INT64_MAX), units);
	const uint64_t span = (uint64_t)t1 - (uint64_t)t0;
	int64_t wanted = 1;
	int decimals = 0;

	for (int i = 1; i < digits; i++)
		wanted *= 10;
	while (decimals < 12 + unit && (uint64_t)units_ticks(wanted, unit - decimals, units) > span)
		decimals++;
	/* Digits finer than a tick say nothing. */
	while (decimals > 0 && units_ticks(1, unit - decimals + 1, units) <= 1)
		decimals--;
	units_in(out, t0, units, unit, decimals);
	str_add(out, t1 < 0 ? " to " : "-");
	units_in(out, t1, units, unit, decimals);
	str_add_fmt(out, " %s", units_exponent_name(unit));
}

void units_share(struct str *out, double share)
{
	if (share > 0 && share < 0.0005)
		str_add(out, "< 0.1 %");
	else
		str_add_fmt(out, "%.1f %%", 100 * share);
}

void units_mean(struct str *out, double mean)
{
	if (mean > 0 && mean < 0.005)
		str_add(out, "< 0.01");
	else
		str_add_fmt(out, "%.2f", mean);
}
