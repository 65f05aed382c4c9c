/* The line of a clock against one that has its line: in the middle of the room that the messages
 * between the two leave. */
#include <math.h>

#include "base/order.h"
#include "correct/fit/fit_state.h"

/* Rates differ by some ten ppm, RATE_USUAL. */
#define DRIFT_MOST 1e-2
#define ROOM_LEAST 100.0 /* ns */

/* Highest lower, and lowest upper bound of the offset at a drift. */
static void room_at(const struct line_room *room, double drift, double *low, double *high)
{
	*low = -INFINITY;
	*high = INFINITY;
	for (size_t i = 0; i < room->low.n; i++)
		*low = fmax(*low, room->low.data[i].bound - drift * room->low.data[i].local);
	for (size_t i = 0; i < room->high.n; i++)
		*high = fmin(*high, room->high.data[i].bound - drift * room->high.data[i].local);
}

/* Logarithm of a room; below ROOM_LEAST its tangent, so that bounds that miss each other count. */
static double room_worth(double room)
{
	return room > ROOM_LEAST ? log(room) : log(ROOM_LEAST) + (room - ROOM_LEAST) / ROOM_LEAST;
}

/* The value to maximise, the logarithm of a probability: all offsets between the bounds are equally
 * likely, so a drift is as likely as it leaves room, times its own probability. With bounds from
 * one side only, how near the line is to all of them. */
static double worth(const struct line_room *room, double drift)
{
	const double unusual = (drift + room->rate) / RATE_USUAL;
	double low, high;

	room_at(room, drift, &low, &high);
	if (room->high.n == 0)
		high = -drift * room->middle;
	else if (room->low.n == 0)
		low = -drift * room->middle;
	return room_worth(high - low) - unusual * unusual / 2;
}

/* The drift with the largest worth, which is concave in it. */
static double best_drift(const struct line_room *room)
{
	const double golden = (sqrt(5) - 1) / 2;
	double a = -DRIFT_MOST, b = DRIFT_MOST;
	double c = b - golden * (b - a), d = a + golden * (b - a);
	double at_c = worth(room, c), at_d = worth(room, d);

	for (int i = 0; i < 60; i++) {
		if (at_c >= at_d) {
			b = d;
			d = c;
			at_d = at_c;
			c = b - golden * (b - a);
			at_c = worth(room, c);
		} else {
			a = c;
			c = d;
			at_c = at_d;
			d = a + golden * (b - a);
			at_d = worth(room, d);
		}
	}
	return (a + b) / 2;
}

/* The first of the sorted edges from one clock to another. */
static size_t first_edge(const struct fit_edges *edges, uint32_t from, uint32_t to)
{
	size_t low = 0, high = edges->n;

	BISECT(low, high, middle,
	       edges->data[middle].from < from ||
		       (edges->data[middle].from == from && edges->data[middle].to < to));
	return low;
}

/* A time as the edges have it, on the clock's new line. */
static double moved(const struct clock_line *was, const struct clock_line *is, double t)
{
	return is->offset + (1 + is->drift) * (t - was->offset);
}

/* Bounds of `child` from the messages with a clock that has its line; `world`: from MPI_Init and
 * MPI_Finalize, too. */
static void find_room(struct line_room *room, const struct fit_edges *edges,
		      const struct clock_line *was, const struct clock_line *is, uint32_t parent,
		      uint32_t child, bool world)
{
	double sum = 0;

	room->low.n = room->high.n = 0;
	for (size_t i = first_edge(edges, parent, child);
	     i < edges->n && edges->data[i].from == parent && edges->data[i].to == child; i++) {
		if (edges->data[i].bound && !world)
			continue;
		const double local = edges->data[i].recv - was[child].offset;
		const double t = moved(&was[parent], &is[parent], edges->data[i].send);
		vec_push(&room->low, ((struct line_bound){ local, t - local }));
		sum += local;
	}
	for (size_t i = first_edge(edges, child, parent);
	     i < edges->n && edges->data[i].from == child && edges->data[i].to == parent; i++) {
		if (edges->data[i].bound && !world)
			continue;
		const double local = edges->data[i].send - was[child].offset;
		const double t = moved(&was[parent], &is[parent], edges->data[i].recv);
		vec_push(&room->high, ((struct line_bound){ local, t - local }));
		sum += local;
	}
	room->middle = sum / (double)(room->low.n + room->high.n);
}

static void set_line(struct clock_line *line, const struct line_room *room)
{
	double low, high;

	line->drift = best_drift(room);
	room_at(room, line->drift, &low, &high);
	line->offset = room->high.n == 0 ? low : room->low.n == 0 ? high : low + (high - low) / 2;
}

void line_between(struct line_room *room, const struct fit_edges *edges,
		  const struct clock_line *was, struct clock_line *is, uint32_t parent,
		  uint32_t child)
{
	/* Waits in MPI_Init are long and one-sided: the middle of their room is far from any
	 * message, and one way alone places a clock better. */
	find_room(room, edges, was, is, parent, child, false);
	if (!room->exchanged && room->low.n + room->high.n == 0)
		find_room(room, edges, was, is, parent, child, true);
	if (!room->measured || (room->low.n > 0 && room->high.n > 0))
		set_line(&is[child], room);
}

void line_room_fini(struct line_room *room)
{
	vec_fini(&room->low);
	vec_fini(&room->high);
}
