#include "capture/run/ticks.h"

enum { SHIFT = 56, LEAST_BASELINE = 5000000 /* ns */ };

__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 signed_wide;

bool calibrate(struct calibration *c, struct reading first, struct reading last)
{
	if (last.tick <= first.tick || last.nano < first.nano + LEAST_BASELINE)
		return false;
	/* Nanoseconds of a run fit 50 bits, so the dividend fits 106; a clock slower than 4 MHz
	 * does not fit. */
	const wide factor = ((wide)(last.nano - first.nano) << SHIFT) / (last.tick - first.tick);
	if (factor == 0 || factor > UINT64_MAX)
		return false;
	*c = (struct calibration){ first.tick, (int64_t)first.nano, (uint64_t)factor };
	return true;
}

void calibrate_nanoseconds(struct calibration *c)
{
	*c = (struct calibration){ 0, 0, UINT64_C(1) << SHIFT };
}

/* Points in time, so that differences of differences are numbers, too. */
static int64_t within(signed_wide nanoseconds)
{
	const signed_wide most = (signed_wide)1 << 60;

	return (int64_t)(nanoseconds > most ? most : nanoseconds < -most ? -most : nanoseconds);
}

int64_t ticks_to_nanoseconds(const struct calibration *c, uint64_t tick)
{
	if (tick >= c->tick)
		return within(c->nano +
			      (signed_wide)(((wide)(tick - c->tick) * c->factor) >> SHIFT));
	/* Rounded down here as well, or the order would break at c->tick. */
	const wide below = (wide)(c->tick - tick) * c->factor;
	const bool rest = (below & (((wide)1 << SHIFT) - 1)) != 0;
	return within(c->nano - (signed_wide)(below >> SHIFT) - rest);
}

int64_t ticks_duration(const struct calibration *c, uint64_t ticks, enum ticks_rounding rounding)
{
	static const wide add[] = { [TICKS_DOWN] = 0,
				    [TICKS_NEAREST] = (wide)1 << (SHIFT - 1),
				    [TICKS_UP] = ((wide)1 << SHIFT) - 1 };
	const wide product = (wide)ticks * c->factor;
	const wide most = (wide)INT64_MAX << SHIFT;

	return product < most ? (int64_t)((product + add[rounding]) >> SHIFT) : INT64_MAX;
}

double ticks_length(const struct calibration *c)
{
	return (double)c->factor / (double)(UINT64_C(1) << SHIFT);
}

uint64_t calibration_frequency(const struct calibration *c)
{
	return (uint64_t)((((wide)1000000000 << SHIFT) + c->factor / 2) / c->factor);
}

struct clock_offset clock_offset_make(int64_t sent, int64_t there, int64_t received)
{
	const int64_t rtt = received - sent;

	return (struct clock_offset){ .time = there, .offset = sent + rtt / 2 - there, .rtt = rtt };
}

bool clock_offset_may_be_zero(const struct clock_offset *offset)
{
	const int64_t half = (offset->rtt + 1) / 2;

	return offset->offset <= half && -offset->offset <= half;
}
