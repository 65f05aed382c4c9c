/* How fast clocks drift, by messages alone: whether what is assumed of it holds. */
#include <math.h>

#include "base/mem.h"
#include "correct/room/room_state.h"

/* Next to nothing is assumed of drift here. */
#define DRIFT_ANY          1e-2
/* Times the largest drift of shown times; times what messages demand, which see only a part. */
#define DRIFT_SHOWN_MARGIN 2
#define DRIFT_LEAST_MARGIN 6

enum { EIGHTH = ROOM_WINDOWS / 8 };

struct drift_look {
	const struct room *room;
	const struct room_span *spans; /* of the clock */
	double mean, bend;             /* of the shown times, against the root */
	struct room_clock *of;
};

/* The clock's own mean drift between two windows: that of the error that shown times still have,
 * and what these added. */
static void look_between(const struct drift_look *look, uint32_t from, uint32_t to)
{
	const struct room_span *a = &look->spans[from], *b = &look->spans[to];
	const double time = (to - from) * look->room->windows.length;
	const double low = look->mean + (b->low - a->high) / time - look->bend;
	const double high = look->mean + (b->high - a->low) / time + look->bend;

	if (!(time > 0) || isnan(low) || isnan(high))
		return;
	look->of->least = fmax(look->of->least, fmax(low, -high));
	if (to - from == EIGHTH)
		look->of->most = fmax(look->of->most, fmax(-low, high));
}

static void look_at_clock(const struct drift_look *look)
{
	static const uint32_t lengths[] = { 2, 4, EIGHTH, 16, 32, ROOM_WINDOWS - 1 };

	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
		for (uint32_t from = 0; from + lengths[i] < ROOM_WINDOWS; from += lengths[i] / 2)
			look_between(look, from, from + lengths[i]);
}

static enum room_drift judge(const struct room_clock *of, double shown, bool contradicted)
{
	if (of->least > DRIFT_MOST)
		return DRIFT_EXCEEDED;
	if (shown > DRIFT_MOST || contradicted)
		return DRIFT_DOUBTED;
	return of->most <= DRIFT_MOST ? DRIFT_SHOWN : DRIFT_ASSUMED;
}

void room_look_at_drift(struct room *room, const uint32_t *part, struct room_clock *of,
			struct room_span *spans)
{
	for (uint32_t c = 0; c < room->clocks; c++)
		of[c] = (struct room_clock){ .part = part[c],
					     .low = -DRIFT_ANY,
					     .high = DRIFT_ANY };
	room_spans(room, part, of, spans);
	for (uint32_t c = 0; c < room->clocks; c++) {
		/* Of a root messages say nothing, but shown times do. */
		const uint32_t root = part[c] == c ? 0 : part[c];
		const struct drift_look look = { room, &spans[(size_t)c * ROOM_WINDOWS],
						 room->mean[c] - room->mean[root],
						 c == 0 ? 0 : room->own[c] + room->own[root],
						 &of[c] };
		const double shown = fabs(look.mean) + look.bend;
		if (part[c] == c)
			of[c].most = c == 0 ? 0 : INFINITY;
		else
			look_at_clock(&look);
		of[c].drift = (uint16_t)judge(&of[c], shown, room->is_loose[c]);
		if (of[c].drift >= DRIFT_DOUBTED)
			room->drift = fmax(room->drift, fmax(DRIFT_SHOWN_MARGIN * shown,
							     DRIFT_LEAST_MARGIN * of[c].least));
	}
}
