/* Forward amortisation (paper 4, section 3). */
#include <string.h>

#include "base/exchange.h"
#include "base/order.h"
#include "correct/clc/clc_state.h"
#include "model/trace/base_write.h"
#include "model/trace/store.h"

enum { PROGRESS_STEPS = 1 << 14 };

static void reset(struct clc *clc, double gamma)
{
	const uint32_t n = trace_location_count(clc->trace);

	clc->gamma = gamma;
	clc->jumps.n = 0;
	clc->forced = 0;
	clc->max_shift = 0;
	memset(clc->violated, 0, sizeof clc->violated);
	memset(clc->places, 0, n * sizeof *clc->places);
	for (uint32_t l = 0; l < n; l++) {
		clc->places[l].max_event = EVENT_NONE;
		clc->places[l].out = INT64_MIN;
	}
}

/* To the nearest tick; a shift is never below 0. */
static int64_t add_shift(int64_t time, double shift)
{
	const int64_t moved = time + (int64_t)(shift + 0.5);

	return moved > TIME_LIMIT ? TIME_LIMIT : moved;
}

/* The shift of an event `passed` ticks after one with a shift (L of section 3, less C). The floor
 * of one delta holds only where the event before was moved (A10): ties that nothing moved stay
 * ties. */
static double decay(double shift, double passed, double loss, double delta)
{
	const double kept = shift - loss * passed, spaced = shift + delta - passed;
	const double most = kept > spaced ? kept : spaced;

	return shift > 0 && most > 0 ? most : 0;
}

static void note_move(struct clc_place *place, uint32_t event, int64_t move, double shift)
{
	if (shift > place->max_shift)
		place->max_shift = shift;
	if (move <= 0)
		return;
	place->moved++;
	if (move > place->max_move) {
		place->max_move = move;
		place->max_event = event;
	}
}

static bool is_gap(const struct clc *clc, uint32_t location, int64_t before, int64_t now)
{
	size_t low = 0, high = clc->n_gaps;

	BISECT(low, high, i, clc->gaps[i].location < location);
	for (; low < clc->n_gaps && clc->gaps[low].location == location; low++)
		if (before <= clc->gaps[low].time && now > clc->gaps[low].time)
			return true;
	return false;
}

/* Moves events that only have the shift before them. A shift of 2^53 ticks cannot hold single
 * ticks: the order of the events is kept all the same. */
static void move_local(const struct clc *clc, struct clc_place *place, uint32_t location,
		       uint32_t event, const int64_t *in, uint32_t n, int64_t *out)
{
	const double loss = 1 - clc->gamma;
	int64_t before = place->out;
	uint32_t i = 0;

	for (; i < n && (place->shift > 0 || in[i] < before); i++) {
		const bool gap = clc->n_gaps && is_gap(clc, location, place->in, in[i]);
		place->shift = decay(place->shift, (double)(in[i] - place->in), gap ? 1 : loss,
				     clc->delta);
		out[i] = add_shift(in[i], place->shift);
		if (out[i] < before)
			out[i] = before;
		note_move(place, event + i, out[i] - in[i], place->shift);
		place->in = in[i];
		before = out[i];
	}
	if (i < n) { /* caught up with */
		memcpy(out + i, in + i, (n - i) * sizeof *in);
		place->in = in[n - 1];
	}
}

/* The times that the ends of a group wait for. */
static struct bounds *bounds_of(const struct clc *clc, const struct replay_step *step)
{
	struct bounds *bounds = step->state;

	if (!bounds->started)
		bounds_start(bounds, step->parties, step->group, clc->nodes, false);
	return bounds;
}

/* What another process said: the time of a send, or what the end of a party waits for. */
static int64_t value_of(const struct replay_step *step)
{
	return *(const int64_t *)step->value;
}

/* The earliest time of a receive; BOUND_NONE: no limit. */
static int64_t limit_of(const struct clc *clc, const struct replay_step *step)
{
	uint32_t send;

	if (step->part == PART_END)
		return step->value ? value_of(step)
				   : bounds_limit(bounds_of(clc, step), step->parties, step->group,
						  clc->lmin, step->party);
	if (step->forced)
		return BOUND_NONE;
	send = store_message(clc->trace, step->row)->send;
	return (step->value ? value_of(step) : store_event_time(clc->trace, BASE_CLC, send)) +
	       lmin_between(clc->lmin, store_event_block(clc->trace, send)->location,
			    step->location, LOGICAL_P2P);
}

/* Moves a receive to where its senders allow it: L of section 3 from I. */
static void receive(struct clc *clc, const struct replay_step *step, int64_t in, int64_t *out)
{
	struct clc_place *place = &clc->places[step->location];
	const uint32_t event = step->block * BLOCK_EVENTS + step->to - 1;
	const int64_t asked = limit_of(clc, step), limit = asked < TIME_LIMIT ? asked : TIME_LIMIT;
	const double needed = limit == BOUND_NONE ? 0 : (double)(limit - in);
	struct clc_jump jump = { event, step->location, needed - place->shift };

	if (!(needed > place->shift)) {
		if (limit != BOUND_NONE && *out < limit) /* by what a large shift cannot say */
			*out = limit;
		return;
	}
	if (*out <= in) /* not counted before */
		place->moved++;
	place->shift = needed;
	if (*out < limit)
		*out = limit;
	if (needed > place->max_shift)
		place->max_shift = needed;
	if (*out - in > place->max_move) {
		place->max_move = *out - in;
		place->max_event = event;
	}
	place->violated++;
	clc->violated[step->cls]++;
	vec_push(&clc->jumps, jump);
}

/* Records the begin of a party for the parties that wait for it. */
static void begin(const struct clc *clc, const struct replay_step *step, int64_t out)
{
	struct bounds_party *parties = step->parties;

	bounds_of(clc, step);
	parties[step->party].value = out;
}

/* Of a group with this process as its home. */
static void take_home(const struct clc *clc, const struct replay_step *step)
{
	if (step->part == PART_BEGIN)
		begin(clc, step, value_of(step));
	else if (step->part == PART_END)
		*(int64_t *)step->value = bounds_limit(bounds_of(clc, step), step->parties,
						       step->group, clc->lmin, step->party);
}

/* Tells those who wait for the event. */
static void tell(const struct clc *clc, const struct replay_step *step, int64_t out)
{
	if (step->value)
		*(int64_t *)step->value = out;
	else if (step->part == PART_BEGIN)
		begin(clc, step, out);
}

static void read_times(const struct clc *clc, const struct replay_step *step, int64_t *t)
{
	const struct times *times = store_times(clc->trace, clc->from, step->block);
	const int64_t *wide = store_wide(clc->trace, clc->from, times);

	if (wide) {
		memcpy(t, wide + step->from, (step->to - step->from) * sizeof *t);
		return;
	}
	for (uint32_t slot = step->from; slot < step->to; slot++)
		*t++ = times->base + times->delta[slot];
}

static bool take_step(struct clc *clc, const struct replay_step *step)
{
	struct clc_place *place = &clc->places[step->location];
	const uint32_t n = step->to - step->from, event = step->block * BLOCK_EVENTS + step->from;
	int64_t in[BLOCK_EVENTS], out[BLOCK_EVENTS];

	read_times(clc, step, in);
	move_local(clc, place, step->location, event, in, n, out);
	if (step->part == PART_RECV || step->part == PART_END)
		receive(clc, step, in[n - 1], &out[n - 1]);
	else if (step->part == PART_SEND || step->part == PART_BEGIN)
		tell(clc, step, out[n - 1]);
	if (!place->begun) {
		place->first_out = out[0];
		place->begun = true;
	}
	place->out = out[n - 1];
	return base_put_part(clc->trace, BASE_CLC, step->block, step->from, step->to, out,
			     clc->err);
}

bool clc_forward(struct clc *clc, double gamma)
{
	static const struct replay_sizes sizes = { .state = sizeof(struct bounds),
						   .party = sizeof(struct bounds_party),
						   .send = sizeof(int64_t),
						   .begin = sizeof(int64_t),
						   .end = sizeof(int64_t) };
	struct replay *replay = replay_new(clc->logical, clc->from, &sizes);
	const uint64_t all = trace_event_count(clc->trace);
	const struct progress whole = progress_whole(clc->progress);
	struct replay_step step;
	uint64_t done = 0, steps = 0;
	bool ok = true;

	reset(clc, gamma);
	while (ok && replay_next(replay, &step)) {
		if (step.home) {
			take_home(clc, &step);
			continue;
		}
		ok = take_step(clc, &step);
		done += step.to - step.from;
		if (++steps % PROGRESS_STEPS == 0)
			ok = ok && progress_step(&whole, "logical clock", done, all);
	}
	clc->forced = replay_forced(replay);
	replay_free(replay);
	for (uint32_t l = 0; l < trace_location_count(clc->trace); l++)
		if (clc->places[l].max_shift > clc->max_shift)
			clc->max_shift = clc->places[l].max_shift;
	return ok;
}

double clc_error_at_final(const struct clc *clc)
{
	double worst = 0;

	for (uint32_t l = 0; l < trace_location_count(clc->trace); l++) {
		const struct clc_place *place = &clc->places[l];
		const double run = place->begun ? (double)(place->out - place->first_out) : 0;
		if (run > 0 && place->shift / run > worst)
			worst = place->shift / run;
	}
	return exchange_most(trace_exchange(clc->trace), worst);
}
