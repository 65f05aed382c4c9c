#include "clock.h"

#include <math.h>
#include <string.h>

#include "chance.h"

/* Between -1 and 1. */
static double side(const struct clock *clock, uint64_t nth)
{
	return 2 * chance_share(clock->seed, CHANCE_CLOCK, clock->id, nth) - 1;
}

static void make_slews(struct clock *clock, const struct settings *settings, int64_t end)
{
	int64_t at = SIMULATION_START;
	double gained = 0;

	for (uint64_t nth = 0; at < end; nth += 2) {
		const double rate =
			settings->slew *
			(2 * chance_share(clock->seed, CHANCE_SLEW, clock->id, nth) - 1);
		/* Not below a tenth of the mean, so that there is an end to them. */
		const double lasts =
			settings->slew_interval *
			(0.1 + 0.9 * chance_delay(clock->seed, CHANCE_SLEW, clock->id, nth + 1));
		const struct slew slew = { at, gained, rate };
		vec_push(&clock->slews, slew);
		gained += rate * lasts * (double)PICO;
		at += pico(lasts);
	}
}

/* Steps of the rate that are equally likely up to sqrt(3) times their rms. */
static void make_walk(struct clock *clock, const struct settings *settings, int64_t end)
{
	double gained = 0, rate = 0;
	int64_t at = SIMULATION_START;

	for (uint64_t nth = 0; at < end; nth++) {
		rate += settings->walk * sqrt(3) *
			(2 * chance_share(clock->seed, CHANCE_WALK, clock->id, nth) - 1);
		vec_push(&clock->walk, ((struct slew){ at, gained, rate }));
		gained += rate * settings->walk_interval * (double)PICO;
		at += pico(settings->walk_interval);
	}
}

/* True if the step is of this clock, or of the node of its rank. */
static bool is_stepped(const struct settings *settings, uint32_t id)
{
	if (settings->step_rank < 0)
		return false;
	return settings->step_node && !settings->clock_of_node
		       ? id / settings->node_ranks ==
				 (uint32_t)settings->step_rank / settings->node_ranks
		       : id == (uint32_t)settings->step_rank;
}

void clock_init(struct clock *clock, const struct settings *settings, uint32_t id, int64_t end)
{
	memset(clock, 0, sizeof *clock);
	clock->seed = settings->seed;
	clock->id = id;
	clock->jitter = settings->clock_jitter * (double)PICO;
	clock->resolution = settings->resolution * (double)PICO;
	clock->period = settings->sine_period * (double)PICO;
	if (is_stepped(settings, id)) {
		clock->step = settings->step * (double)PICO;
		clock->step_at = settings->step_at * (double)PICO;
	}
	if (id == 0)
		return;
	clock->offset = settings->clock_offset * (double)PICO * side(clock, 0);
	clock->drift = settings->clock_drift * side(clock, 1);
	clock->amplitude = settings->sine * (double)PICO * (0.75 + 0.25 * side(clock, 2));
	clock->phase = M_PI * side(clock, 3);
	clock->jump = id % 2 ? settings->jump * (double)PICO : 0;
	clock->jump_at = settings->jump_at * (double)PICO;
	if (settings->slew > 0)
		make_slews(clock, settings, end);
	if (settings->walk > 0)
		make_walk(clock, settings, end);
}

void clock_fini(struct clock *clock)
{
	vec_fini(&clock->slews);
	vec_fini(&clock->walk);
}

static double slewed(const slew_vec *slews, int64_t t)
{
	size_t low = 0, high = slews->n;

	while (low < high) {
		const size_t middle = (low + high) / 2;
		if (slews->data[middle].from <= t)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return 0;
	const struct slew *slew = &slews->data[low - 1];
	return slew->gained + slew->rate * (double)(t - slew->from);
}

double clock_error(const struct clock *clock, int64_t t)
{
	const double passed = (double)(t - SIMULATION_START);
	double error = clock->offset + clock->drift * passed + slewed(&clock->slews, t) +
		       slewed(&clock->walk, t);

	if (passed >= clock->jump_at)
		error += clock->jump;
	if (passed >= clock->step_at)
		error += clock->step;
	if (clock->amplitude > 0)
		error += clock->amplitude * sin(2 * M_PI * passed / clock->period + clock->phase);
	return error;
}

int64_t clock_read(const struct clock *clock, int64_t t, uint64_t nth)
{
	double error = clock_error(clock, t);
	int64_t shown, coarse;

	if (clock->jitter > 0)
		error += clock->jitter * chance_share(clock->seed, CHANCE_READ,
						      (uint64_t)clock->id << 32 ^ nth, (uint64_t)t);
	shown = t + (int64_t)floor(error);
	coarse = (int64_t)clock->resolution;
	if (coarse > 1)
		shown -= (shown % coarse + coarse) % coarse;
	return shown;
}
