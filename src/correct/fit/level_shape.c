/* The shape of a pair of clocks: what its messages' least slacks in parts of the run leave. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/median.h"
#include "base/order.h"
#include "correct/fit/level.h"
#include "correct/fit/level_state.h"

/* Links have about the same room in each window, late receivers another one each time: a quarter of
 * the windows alone leave at most ALIKE times what all together leave. */
#define ALIKE        3.0
#define AGREE        4
/* A window with so many times the room of the best one, in which ranks came late, says nothing of
 * noise. */
#define LOOSE_WINDOW 2.0
enum { MANY_WINDOWS = 5 };
#define SCATTER 1.05 /* of a median of differences to a standard deviation of a mean */

ORDERING_OF_NUMBERS(ascending, double)

/* Of the windows' rooms: clocks bend little, so what is tight holds them before and after it, too.
 * The tightest window may be luck, but of a few it is all there is. */
static double room_of(const double *of_window, uint32_t n)
{
	double room[LEVEL_WINDOWS];

	memcpy(room, of_window, n * sizeof *room);
	SORT(room, n, ascending);
	return fmax(room[n >= MANY_WINDOWS], LEVEL_ROOM_LEAST);
}

static double middle_of(int window)
{
	return (window + 0.5) * 2 / LEVEL_WINDOWS - 1;
}

/* How far a line that is nowhere above `most` and nowhere below -least can be above 0 at u = 0: two
 * of these bounds hold it, one on each side, or an upper one and a lower one farther away. */
static double highest(const double most[LEVEL_WINDOWS], const double least[LEVEL_WINDOWS])
{
	double high = INFINITY;

	for (int v = 0; v < LEVEL_WINDOWS; v++)
		for (int w = 0; w < LEVEL_WINDOWS; w++) {
			const double u = middle_of(v), x = middle_of(w);
			if (u < 0 && x > 0)
				high = fmin(high, (most[v] * x - most[w] * u) / (x - u));
			else if (u * x > 0 && fabs(x) > fabs(u))
				high = fmin(high, (most[v] * x + least[w] * u) / (x - u));
		}
	return high;
}

/* How far such a line can rise until u = 1. */
static double steepest(const double most[LEVEL_WINDOWS], const double least[LEVEL_WINDOWS])
{
	double steep = INFINITY;

	for (int v = 1; v < LEVEL_WINDOWS; v++)
		for (int w = 0; w < v; w++)
			steep = fmin(steep, (most[v] + least[w]) / (middle_of(v) - middle_of(w)));
	return steep;
}

static double span_of(const struct level_pair *pair)
{
	int first = 0, last = LEVEL_WINDOWS - 1;

	while (isinf(pair->up[first]) && isinf(pair->down[first]))
		first++;
	while (isinf(pair->up[last]) && isinf(pair->down[last]))
		last--;
	return middle_of(last) - middle_of(first);
}

/* Of a line through points. */
static double slope_of(const double *x, const double *y, uint32_t n)
{
	double mean_x = 0, mean_y = 0, sum = 0, squares = 0;

	for (uint32_t i = 0; i < n; i++) {
		mean_x += x[i] / n;
		mean_y += y[i] / n;
	}
	for (uint32_t i = 0; i < n; i++) {
		sum += (x[i] - mean_x) * (y[i] - mean_y);
		squares += level_square(x[i] - mean_x);
	}
	return sum / squares;
}

struct level_shape level_shape_of(const struct level_pair *pair)
{
	struct level_shape shape = {
		.i = pair->i, .j = pair->j, .near = pair->near, .scatter = -1
	};
	double apart[LEVEL_WINDOWS], room[LEVEL_WINDOWS], steps[LEVEL_WINDOWS];
	double at[LEVEL_WINDOWS];
	uint32_t n = 0, tight = 0, alike = 0;

	for (int w = 0; w < LEVEL_WINDOWS; w++) {
		if (isinf(pair->up[w]) || isinf(pair->down[w]))
			continue;
		apart[n] = (pair->up[w] - pair->down[w]) / 2;
		at[n] = middle_of(w);
		room[n++] = (pair->up[w] + pair->down[w]) / 2;
	}
	shape.windows = n;
	if (n < 2)
		return shape;
	shape.room = room_of(room, n);
	shape.level = (highest(pair->up, pair->down) + highest(pair->down, pair->up)) / 2;
	shape.level = fmax(shape.level, LEVEL_ROOM_LEAST);
	shape.turn = (steepest(pair->up, pair->down) + steepest(pair->down, pair->up)) / 2;
	shape.turn = fmax(shape.turn, LEVEL_ROOM_LEAST);
	shape.span = span_of(pair);
	for (uint32_t i = 0; i < n; i++) {
		alike += room[i] <= ALIKE * shape.level;
		if (room[i] > LOOSE_WINDOW * shape.room)
			continue;
		if (tight > 0)
			steps[tight - 1] = fabs(apart[i] - apart[tight - 1]);
		at[tight] = at[i];
		apart[tight++] = apart[i];
	}
	shape.agree = n >= MANY_WINDOWS && AGREE * alike >= n;
	if (tight >= 4) {
		shape.scatter = SCATTER * median_of(steps, tight - 1) / sqrt(tight);
		shape.slope = slope_of(at, apart, tight);
	}
	shape.apart = median_of(apart, tight);
	return shape;
}
