#include "views/facts/difference.h"

#include "views/facts/corrections_facts.h"

bool difference_is_share(enum time_base base)
{
	return base >= BASE_COMPENSATED;
}

enum time_base difference_reference(const struct trace *trace,
				    const struct corrections *corrections, enum time_base base)
{
	if (difference_is_share(base))
		return trace_default_base(trace);
	if (base > BASE_LINEAR && trace_has_base(trace, BASE_LINEAR) &&
	    !corrected_one_clock(corrections))
		return BASE_LINEAR;
	return BASE_MEASURED;
}

void difference_sentence(const struct trace *trace, const struct corrections *corrections,
			 enum time_base base, struct str *out)
{
	const enum time_base from = difference_reference(trace, corrections, base);
	int bases = 0;

	for (int b = 0; b < BASE_COUNT; b++)
		bases += trace_has_base(trace, (enum time_base)b);
	if (bases == 1)
		str_add_fmt(out, "only %s times are available: nothing to compare them with",
			    time_base_name(base));
	else if (from == base)
		str_add_fmt(out, "times of another base are needed to compare with %s",
			    time_base_name(base));
	else if (difference_is_share(base))
		str_add_fmt(out, "share of %s times that %s takes out (legend)",
			    time_base_name(from), time_base_name(base));
	else if (base == BASE_FITTED && corrected_one_clock(corrections))
		str_add(out, "one clock: nothing moved");
	else
		str_add_fmt(out, "shift from %s to %s, one colour per factor of 10 (legend)",
			    time_base_name(from), time_base_name(base));
}

/* ---- steps ---- */

unsigned difference_move_step(int64_t ticks, const struct timescale *scale)
{
	const uint64_t size = ticks < 0 ? 0 - (uint64_t)ticks : (uint64_t)ticks;
	unsigned step = 1;

	if (size == 0)
		return 0;
	while (step < DIFFERENCE_STEPS && size >= (uint64_t)units_ticks(1, (int)step - 7, scale))
		step++;
	return step;
}

static const double shares[DIFFERENCE_STEPS - 1] = { .01, .02, .05, .10, .20, .35, .50 };

#define NO_SHARE 1e-4

unsigned difference_share_step(double share)
{
	unsigned step = 1;

	/* A single record in a long cell is not worth a line. */
	if (share < NO_SHARE && share > -NO_SHARE)
		return 0;
	while (step < DIFFERENCE_STEPS && (share < 0 ? -share : share) > shares[step - 1])
		step++;
	return step;
}

const char *difference_step_name(bool share, unsigned step)
{
	static const char *const moves[] = { "not moved", "< 1 us", "< 10 us",
					     "< 100 us",  "< 1 ms", "< 10 ms",
					     "< 100 ms",  "< 1 s",  "1 s and more" };
	static const char *const parts[] = { "none",    "<= 1 %",  "<= 2 %",  "<= 5 %", "<= 10 %",
					     "<= 20 %", "<= 35 %", "<= 50 %", "> 50 %" };

	return (share ? parts : moves)[step <= DIFFERENCE_STEPS ? step : DIFFERENCE_STEPS];
}

double difference_share(double taken_out, double width)
{
	if (taken_out < 0)
		return width > 0 ? taken_out / width : 0;
	return taken_out + width > 0 ? taken_out / (taken_out + width) : 0;
}

void difference_move_text(struct str *out, int64_t ticks, const struct timescale *scale, int digits)
{
	if (ticks > 0)
		str_add_char(out, '+');
	units_human_time(out, ticks, scale, digits);
}
