/* What is known of clocks: messages, steps, offset records, rates. */
#include <math.h>

#include "base/mem.h"
#include "base/order.h"
#include "correct/room/room_state.h"

/* ---- windows ---- */

double room_outside(const struct room_windows *windows, double time)
{
	const double last = windows->first + windows->length * ROOM_WINDOWS;

	return fmax(fmax(windows->first - time, time - last), 0);
}

static uint32_t window_at(const struct room_windows *windows, double time)
{
	const double u = (time - windows->first) / windows->length;

	return !(u > 0) ? 0 : u >= ROOM_WINDOWS ? ROOM_WINDOWS - 1 : (uint32_t)u;
}

uint32_t room_window(const struct room_windows *windows, uint32_t clock, double time)
{
	uint32_t window = window_at(windows, time);
	size_t low = 0, high = windows->n;

	BISECT(low, high, middle, windows->sets[middle].clock < clock);
	for (; low < windows->n && windows->sets[low].clock == clock; low++)
		if (time < windows->sets[low].at && window >= windows->sets[low].window)
			window = windows->sets[low].window - 1;
	return window;
}

const struct room_windows *room_windows(const struct room *room)
{
	return &room->windows;
}

ORDERING(by_clock_time, struct room_set, clock, at)

void room_steps(struct room *room, const struct room_set *sets, size_t n)
{
	struct room_windows *windows = &room->windows;

	windows->sets = xrealloc(windows->sets, (n + 1) * sizeof *sets);
	windows->n = n;
	if (n)
		memcpy(windows->sets, sets, n * sizeof *sets);
	SORT(windows->sets, n, by_clock_time);
	for (size_t i = 0; i < n; i++) {
		struct room_set *set = &windows->sets[i];
		const uint32_t window = window_at(windows, set->at);
		set->window = window > 0 ? window : 1;
		room->is_set[set->clock] = true;
	}
}

/* ---- messages ---- */

void room_add_row(struct room *room, const struct room_row *row)
{
	const struct key key = KEY_OF(row->from, row->to, row->sent, row->received);
	struct room_row *known;
	uint32_t at;

	if (keymap_new(&room->row_of, key, room->rows.n, &at)) {
		vec_push(&room->rows, *row);
		room->sorted = false;
		return;
	}
	known = &room->rows.data[at];
	if (row->slack + DRIFT_OUTSIDE * row->outside <
	    known->slack + DRIFT_OUTSIDE * known->outside) {
		known->slack = row->slack;
		known->outside = row->outside;
	}
	known->n = known->n > UINT32_MAX - row->n ? UINT32_MAX : known->n + row->n;
}

void room_bound(struct room *room, const struct room_party *from, const struct room_party *to,
		uint32_t n)
{
	const struct room_windows *windows = &room->windows;
	const double slack = to->end - from->begin;
	const struct room_row row = { from->clock,
				      to->clock,
				      (uint16_t)room_window(windows, from->clock, from->begin),
				      (uint16_t)room_window(windows, to->clock, to->end),
				      n,
				      slack,
				      room_outside(windows, from->begin) +
					      room_outside(windows, to->end) };

	if (row.from == row.to)
		return;
	room->reversed = fmax(room->reversed, -slack);
	room_add_row(room, &row);
}

void room_message(struct room *room, uint32_t from, double send, uint32_t to, double recv)
{
	room_bound(room, &(struct room_party){ .clock = from, .begin = send },
		   &(struct room_party){ .clock = to, .end = recv }, 1);
}

ORDERING(by_pair, struct room_row, from, to, sent, received)

const struct room_row *room_rows(struct room *room, size_t *n)
{
	if (!room->sorted) {
		vec_sort(&room->rows, by_pair);
		for (size_t i = 0; i < room->rows.n; i++) {
			const struct room_row *row = &room->rows.data[i];
			*keymap_find(&room->row_of, KEY_OF(row->from, row->to, row->sent,
							   row->received)) = (uint32_t)i;
		}
		room->sorted = true;
	}
	*n = room->rows.n;
	return room->rows.data;
}

/* ---- what else is known ---- */

void room_record(struct room *room, uint32_t clock, double time, double error, double half)
{
	if (clock != 0)
		vec_push(&room->records, ((struct room_measure){ clock, time, error, half }));
}

void room_rate(struct room *room, uint32_t clock, double mean, double bend)
{
	vec_push(&room->means, ((struct room_mean){ clock, mean, bend }));
	room_bend(room, bend);
}

void room_bend(struct room *room, double bend)
{
	room->bend = fmax(room->bend, bend);
}

void room_watch(struct room *room)
{
	room->watched = true;
}

void room_trust(struct room *room, double half_trips)
{
	room->trust = half_trips;
}
