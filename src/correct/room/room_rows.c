/* What is known of clocks: messages, steps, offset records, rates. */
#include <math.h>

#include "base/order.h"
#include "correct/room/room_state.h"

/* ---- windows ---- */

static uint32_t window_at(const struct room *room, double time)
{
	const double u = (time - room->first) / room->window;

	return !(u > 0) ? 0 : u >= ROOM_WINDOWS ? ROOM_WINDOWS - 1 : (uint32_t)u;
}

uint32_t room_window(const struct room *room, uint32_t clock, double time)
{
	uint32_t window = window_at(room, time);

	for (size_t i = 0; room->is_set[clock] && i < room->sets.n; i++) {
		const struct room_set *set = &room->sets.data[i];
		if (set->clock == clock && time < set->at && window >= set->window)
			window = set->window - 1;
	}
	return window;
}

void room_step(struct room *room, uint32_t clock, double at, double spread)
{
	const uint32_t window = window_at(room, at);

	room->is_set[clock] = true;
	vec_push(&room->sets, ((struct room_set){ clock, window > 0 ? window : 1, at, spread }));
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
	known->slack = fmin(known->slack, row->slack);
	known->n = known->n > UINT32_MAX - row->n ? UINT32_MAX : known->n + row->n;
}

void room_bound(struct room *room, const struct room_party *from, const struct room_party *to,
		uint32_t n)
{
	const struct room_row row = { from->clock,
				      to->clock,
				      (uint16_t)room_window(room, from->clock, from->begin),
				      (uint16_t)room_window(room, to->clock, to->end),
				      n,
				      to->end - from->begin };

	if (row.from == row.to)
		return;
	room->reversed = fmax(room->reversed, -row.slack);
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
	vec_push(&room->means, ((struct room_mean){ clock, mean }));
	room->bend = fmax(room->bend, bend);
}
