#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const uint64_t powers[] = {
	1u,        10u,        100u,        1000u,        10000u,        100000u,       1000000u,
	10000000u, 100000000u, 1000000000u, 10000000000u, 100000000000u, 1000000000000u
};

enum { MAX_DIGITS = 12 };

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

void units_seconds(struct str *out, int64_t ticks, const struct timescale *scale, int digits)
{
	const uint64_t rate = (uint64_t)scale->per_second;
	const uint64_t size = magnitude(ticks);
	uint64_t whole = size / rate;
	unsigned __int128 part;
	uint64_t fraction;
	char buffer[40];
	int n;

	if (digits > MAX_DIGITS)
		digits = MAX_DIGITS;
	part = (unsigned __int128)(size % rate) * powers[digits];
	fraction = (uint64_t)((part * 2 + rate) / (2 * (unsigned __int128)rate));
	if (fraction >= powers[digits]) {
		fraction -= powers[digits];
		whole++;
	}
	if (ticks < 0 && (whole || fraction))
		str_add_char(out, '-');
	if (digits)
		n = snprintf(buffer, sizeof buffer, "%" PRIu64 ".%0*" PRIu64, whole, digits,
			     fraction);
	else
		n = snprintf(buffer, sizeof buffer, "%" PRIu64, whole);
	str_add_n(out, buffer, (size_t)n);
}

int units_export_digits(const struct timescale *scale)
{
	int digits = 9;

	while (digits < MAX_DIGITS && scale->per_second > (int64_t)powers[digits])
		digits++;
	return digits;
}

void units_human_time(struct str *out, int64_t ticks, const struct timescale *scale, int digits)
{
	static const struct {
		const char *name;
		double factor;
	} steps[] = { { "s", 1 }, { "ms", 1e3 }, { "us", 1e6 }, { "ns", 1e9 }, { "ps", 1e12 } };
	const double seconds = (double)ticks / (double)scale->per_second;
	const double size = seconds < 0 ? -seconds : seconds;
	size_t step = 0;
	double value;
	int decimals;

	if (ticks == 0) {
		str_add(out, "0 s");
		return;
	}
	if (size >= 120) {
		const int64_t whole = (int64_t)(size + 0.5);
		str_add_fmt(out, "%s%" PRId64 " min %02" PRId64 " s", ticks < 0 ? "-" : "",
			    whole / 60, whole % 60);
		return;
	}
	while (step < 4 && size * steps[step].factor < 1)
		step++;
	if (step == 4 && scale->per_second <= 1000000000)
		step = 3;
	value = seconds * steps[step].factor;
	decimals = digits - 1;
	for (double limit = 10; limit <= size * steps[step].factor && decimals > 0; limit *= 10)
		decimals--;
	/* A whole number of the finest unit has no decimals to show. */
	if (step == 3 && scale->per_second == 1000000000)
		decimals = 0;
	str_add_fmt(out, "%.*f %s", decimals, value, steps[step].name);
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
	while (value >= 1024 && i + 1 < sizeof names / sizeof *names) {
		value /= 1024;
		i++;
	}
	str_add_fmt(out, "%.1f %s", value, names[i]);
}

/* Decimal exponent of a unit's name at p, and its length; false where no unit stands there. */
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

bool units_parse_time(const char *text, const char **end, const struct timescale *scale,
		      int64_t *ticks, struct err *err)
{
	const char *p = text + strspn(text, " \t");
	const bool negative = *p == '-';
	unsigned __int128 mantissa = 0;
	int exponent = 0, unit = 0, seen = 0;
	size_t length;

	p += *p == '-' || *p == '+';
	for (bool point = false; (*p >= '0' && *p <= '9') || (*p == '.' && !point); p++) {
		if (*p == '.') {
			point = true;
			continue;
		}
		seen++;
		if (mantissa > (unsigned __int128)1 << 100)
			return err_set(err, STATUS_USAGE, "'%s' has too many digits for a time",
				       text);
		mantissa = mantissa * 10 + (unsigned)(*p - '0');
		exponent -= point;
	}
	if (!seen)
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
	/* ticks = mantissa * per_second * 10^exponent, rounded half up; exponent is at most 0. */
	if (mantissa > ((unsigned __int128)1 << 86))
		return err_set(err, STATUS_USAGE, "'%s' has too many digits for a time", text);
	mantissa *= (uint64_t)scale->per_second;
	for (; exponent < -1; exponent++)
		mantissa /= 10;
	if (exponent == -1)
		mantissa = (mantissa + 5) / 10;
	if (mantissa > INT64_MAX)
		return err_set(err, STATUS_USAGE,
			       "the time '%s' does not fit into 64 bits of the trace's ticks",
			       text);
	*ticks = negative ? -(int64_t)mantissa : (int64_t)mantissa;
	return true;
}

bool units_parse_bytes(const char *text, uint64_t *bytes, struct err *err)
{
	static const char letters[] = "kmgt";
	double value = 0;
	int used = 0;
	const char *letter;

	if (sscanf(text, "%lf%n", &value, &used) != 1 || value < 0)
		return err_set(err, STATUS_USAGE, "'%s' is not a size (write 4096, 64k, 1.5G)",
			       text);
	text += used;
	letter = *text ? strchr(letters, *text | 0x20) : NULL;
	if (letter) {
		for (const char *l = letters; l <= letter; l++)
			value *= 1024;
		text++;
		text += *text == 'i';
	}
	text += *text == 'B';
	if (*text || value > 9e18)
		return err_set(err, STATUS_USAGE,
			       "'%s' cannot be read in a size (write 4096, 64k, 1.5G)", text);
	*bytes = (uint64_t)value;
	return true;
}
