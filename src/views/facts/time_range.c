#include "views/facts/time_range.h"

#include <math.h>
#include <string.h>

void time_range_text(struct str *out, double low, double high, int digits,
		     const struct timescale *scale)
{
	const double most = fmax(fabs(low), fabs(high));
	const int exponent = units_exponent(llround(most), scale);
	const double shown = most / (double)scale->per_second * pow(10, -exponent);
	const int before = shown >= 1 ? 1 + (int)floor(log10(shown)) : 1;
	const int decimals = digits > before ? digits - before : 0;
	OWNED_STR a = STR_INIT, b = STR_INIT;

	units_in(&a, llround(low), scale, exponent, decimals);
	units_in(&b, llround(high), scale, exponent, decimals);
	str_add(out, a.text);
	if (strcmp(a.text, b.text) != 0) {
		/* A hyphen would be taken for a minus sign. */
		str_add(out, low < 0 || high < 0 ? ".." : "-");
		str_add(out, b.text);
	}
	str_add_char(out, ' ');
	str_add(out, units_exponent_name(exponent));
}
