/* Bounds of times and of their differences. */
#include <math.h>

#include "base/order.h"
#include "correct/correct_room.h"

static const struct room_span unknown = { -INFINITY, INFINITY };

static struct room_span sum_of(struct room_span a, struct room_span b)
{
	return (struct room_span){ a.low + b.low, a.high + b.high };
}

static struct room_span both(struct room_span a, struct room_span b)
{
	return (struct room_span){ fmax(a.low, b.low), fmin(a.high, b.high) };
}

static double drift_of(const struct clock_room *room, uint32_t clock)
{
	return fmax(room->bounds.of[clock].high, -room->bounds.of[clock].low);
}

/* Between the events where a clock may have been set, times may be wrong by the step: those taken
 * to be before it are then too late, those after it too early. */
static struct room_span by_steps(const struct clock_room *room, uint32_t clock, double time)
{
	const struct room_windows *w = &room->bounds.windows;
	struct room_span span = { 0, 0 };
	size_t i = 0, high = w->n;

	BISECT(i, high, middle, w->sets[middle].clock < clock);
	for (; i < w->n && w->sets[i].clock == clock; i++) {
		const struct room_set *set = &w->sets[i];
		const double wrong = time < set->at ? -set->size : set->size;
		if (time <= set->from || time >= set->to)
			continue;
		span.low += fmin(wrong, 0);
		span.high += fmax(wrong, 0);
	}
	return span;
}

/* How far a clock may be from its bounds against another one in a window, at a time that is not in
 * the middle of it. */
static double off_middle(const struct clock_room *room, uint32_t clock, uint32_t against,
			 double time)
{
	const struct room_windows *w = &room->bounds.windows;
	const uint32_t window = room_window(w, clock, time);
	const double middle = w->first + (window + 0.5) * w->length;

	return (drift_of(room, clock) + drift_of(room, against)) * fabs(time - middle) +
	       room->bounds.loose[(size_t)clock * ROOM_WINDOWS + window];
}

/* Of bounds against a clock. */
static struct room_span span_in(const struct clock_room *room, const struct room_span *spans,
				uint32_t clock, uint32_t against, double time)
{
	const uint32_t window = room_window(&room->bounds.windows, clock, time);
	const double off = off_middle(room, clock, against, time);
	const struct room_span *span = &spans[(size_t)clock * ROOM_WINDOWS + window];

	return sum_of((struct room_span){ span->low - off, span->high + off },
		      by_steps(room, clock, time));
}

static struct room_span span_at(const struct clock_room *room, uint32_t clock, double time)
{
	return span_in(room, room->bounds.all, clock, 0, time);
}

static struct room_span moved_by(struct room_span span, double moved)
{
	return (struct room_span){ span.low - moved, span.high - moved };
}

/* ---- places ---- */

static bool bounds(const struct clock_room *room, enum time_base base)
{
	return room && room->done && base >= room->base;
}

struct clock_place clock_place_of(const struct clock_room *room, const struct trace *trace,
				  enum time_base base, uint32_t event)
{
	struct clock_place place = { .known = false };
	int64_t time;

	if (!bounds(room, base))
		return place;
	time = trace_event_time(trace, room->base, event);
	place = (struct clock_place){ trace_event_location(trace, event), true,
				      (double)(time - room->origin), 0 };
	if (base >= BASE_CLC && trace_has_base(trace, BASE_CLC))
		place.moved = (double)(trace_event_time(trace, BASE_CLC, event) - time);
	return place;
}

struct clock_place clock_place_at(const struct clock_room *room, const struct trace *trace,
				  enum time_base base, uint32_t location, int64_t time)
{
	struct cursor c;

	if (!bounds(room, base) || (!cursor_seek(&c, trace, base, location, time) &&
				    !cursor_last(&c, trace, base, location)))
		return (struct clock_place){ .known = false };
	return clock_place_of(room, trace, base, c.id);
}

struct room_span clock_room_at(const struct clock_room *room, const struct clock_place *place)
{
	if (!place->known)
		return unknown;
	return moved_by(span_at(room, room->of[place->location], place->time), place->moved);
}

/* ---- between two clocks ---- */

static struct room_span difference(struct room_span from, struct room_span to)
{
	return (struct room_span){ to.low - from.high, to.high - from.low };
}

/* At most how much x_from - x_to is, by the messages from the one to the other; each is carried to
 * the two times. */
static double direct(const struct clock_room *room, uint32_t from, double sent, uint32_t to,
		     double received)
{
	const struct room_windows *w = &room->bounds.windows;
	const double rate_from = drift_of(room, from), rate_to = drift_of(room, to);
	size_t low = 0, high = room->n_rows;
	double least = INFINITY;

	BISECT(low, high, i,
	       room->rows[i].from < from || (room->rows[i].from == from && room->rows[i].to < to));
	for (; low < room->n_rows && room->rows[low].from == from && room->rows[low].to == to;
	     low++) {
		const struct room_row *row = &room->rows[low];
		const double at_from = w->first + (row->sent + 0.5) * w->length;
		const double at_to = w->first + (row->received + 0.5) * w->length;
		least = fmin(least, row->slack + 1 +
					    row->outside * (fmax(rate_from, DRIFT_OUTSIDE) +
							    fmax(rate_to, DRIFT_OUTSIDE)) +
					    rate_from * (fabs(at_from - sent) + w->length / 2) +
					    rate_to * (fabs(at_to - received) + w->length / 2));
	}
	return least;
}

/* Its error does not change by drift alone. */
static bool jumps(const struct clock_room *room, uint32_t clock)
{
	const struct room_windows *w = &room->bounds.windows;
	size_t i = 0, high = w->n;

	BISECT(i, high, middle, w->sets[middle].clock < clock);
	return room->bounds.of[clock].is_loose || (i < w->n && w->sets[i].clock == clock);
}

/* A duration by one clock is wrong by its rate, and by its steps. */
static struct room_span in_one_clock(const struct clock_room *room, uint32_t clock,
				     const struct clock_place *from, const struct clock_place *to)
{
	const double moved = to->moved - from->moved;
	const double off = drift_of(room, clock) * fabs(to->time - from->time);
	const struct room_span span = { fmin(-moved, 0) - off, fmax(-moved, 0) + off };

	return sum_of(span, difference(by_steps(room, clock, from->time),
				       by_steps(room, clock, to->time)));
}

struct room_span clock_room_between(const struct clock_room *room, const struct clock_place *from,
				    const struct clock_place *to)
{
	const double moved = to->moved - from->moved;
	uint32_t a, b, root;
	struct room_span span;

	if (!from->known || !to->known)
		return unknown;
	a = room->of[from->location];
	b = room->of[to->location];
	if (a == b)
		return in_one_clock(room, a, from, to);
	span = difference(span_at(room, a, from->time), span_at(room, b, to->time));
	root = room->bounds.of[a].part;
	if (root != 0 && root == room->bounds.of[b].part)
		span = both(span,
			    difference(span_in(room, room->bounds.inside, a, root, from->time),
				       span_in(room, room->bounds.inside, b, root, to->time)));
	/* The pair's own messages are not carried across steps. */
	if (!jumps(room, a) && !jumps(room, b))
		span = both(span, (struct room_span){ -direct(room, a, from->time, b, to->time),
						      direct(room, b, to->time, a, from->time) });
	return moved_by(span, moved);
}

struct room_span clock_room_closely(const struct clock_room *room, const struct clock_place *from,
				    const struct clock_place *to)
{
	const struct room_span span = clock_room_between(room, from, to);
	struct room_span paths, steps;
	uint32_t a, b;
	double off;

	if (!from->known || !to->known)
		return span;
	a = room->of[from->location];
	b = room->of[to->location];
	if (a == b)
		return span;
	paths = room_between(&room->bounds, a, room_window(&room->bounds.windows, a, from->time), b,
			     room_window(&room->bounds.windows, b, to->time));
	off = off_middle(room, a, 0, from->time) + off_middle(room, b, 0, to->time);
	steps = difference(by_steps(room, a, from->time), by_steps(room, b, to->time));
	paths = sum_of((struct room_span){ paths.low - off, paths.high + off }, steps);
	return both(span, moved_by(paths, to->moved - from->moved));
}
