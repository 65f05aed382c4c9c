/* What pairs of clocks show of the asymmetry of messages. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/lists.h"
#include "base/median.h"
#include "base/mem.h"
#include "base/order.h"
#include "correct/clocks/time_heap.h"
#include "correct/fit/level.h"
#include "correct/fit/level_state.h"

/* What makes a pair slower than this many times the best one of its kind is probably one-sided. */
#define BASE_ROOM    1.25
#define LOOSE        2.0
/* A window with so many times the room of the best one, in which ranks came late, says nothing of
 * noise. */
#define LOOSE_WINDOW 2.0
enum { MANY_WINDOWS = 5 };
#define ROOM_LEAST    100.0 /* ns */
#define CURL_NOISE    4e-4
#define NOISE_USUAL   5e3
#define SCATTER_LEAST 10.0 /* ns */
#define SCATTER       1.05 /* of a median of differences to a standard deviation of a mean */

ORDERING_OF_NUMBERS(ascending, double)

/* Of the windows' rooms: clocks bend little, so what is tight holds them before and after it, too.
 * The tightest window may be luck, but of a few it is all there is. */
static double room_of(const double *of_window, uint32_t n)
{
	double room[LEVEL_WINDOWS];

	memcpy(room, of_window, n * sizeof *room);
	SORT(room, n, ascending);
	return fmax(room[n >= MANY_WINDOWS], ROOM_LEAST);
}

struct level_shape level_shape_of(const struct level_pair *pair)
{
	struct level_shape shape = {
		.i = pair->i, .j = pair->j, .near = pair->near, .scatter = -1
	};
	double apart[LEVEL_WINDOWS], room[LEVEL_WINDOWS], steps[LEVEL_WINDOWS];
	uint32_t n = 0, tight = 0;

	for (int w = 0; w < LEVEL_WINDOWS; w++) {
		if (isinf(pair->up[w]) || isinf(pair->down[w]))
			continue;
		apart[n] = (pair->up[w] - pair->down[w]) / 2;
		room[n++] = (pair->up[w] + pair->down[w]) / 2;
	}
	shape.windows = n;
	if (n < 2)
		return shape;
	shape.room = room_of(room, n);
	for (uint32_t i = 0; i < n; i++) {
		if (room[i] > LOOSE_WINDOW * shape.room)
			continue;
		if (tight > 0)
			steps[tight - 1] = fabs(apart[i] - apart[tight - 1]);
		apart[tight++] = apart[i];
	}
	if (tight >= 4)
		shape.scatter = SCATTER * median_of(steps, tight - 1) / sqrt(tight);
	shape.apart = median_of(apart, tight);
	return shape;
}

static uint32_t clocks_of(const struct level_shape *pairs, size_t n)
{
	uint32_t clocks = 0;

	for (size_t i = 0; i < n; i++)
		if (pairs[i].j >= clocks)
			clocks = pairs[i].j + 1;
	return clocks;
}

/* A good room of each kind: that of a quarter of the clocks' best pairs is less. The best one of
 * all is an exception where pairs are many. */
static void find_base(const struct level_shape *pairs, size_t n, double base[2])
{
	const uint32_t clocks = clocks_of(pairs, n);
	OWNED double *best = xmalloc((clocks + 1u) * sizeof *best);

	for (int near = 0; near < 2; near++) {
		size_t known = 0;
		for (uint32_t c = 0; c < clocks; c++)
			best[c] = INFINITY;
		for (size_t i = 0; i < n; i++) {
			if (pairs[i].near != near)
				continue;
			best[pairs[i].i] = fmin(best[pairs[i].i], pairs[i].room);
			best[pairs[i].j] = fmin(best[pairs[i].j], pairs[i].room);
		}
		SORT(best, clocks, ascending);
		while (known < clocks && !isinf(best[known]))
			known++;
		base[near] = known ? best[(known - 1) / 4] : INFINITY;
	}
}

size_t level_tight_first(struct level_shape *pairs, size_t n)
{
	double base[2];
	size_t tight = 0;

	find_base(pairs, n, base);
	for (size_t i = 0; i < n; i++) {
		const struct level_shape shape = pairs[i];
		if (shape.room > LOOSE * base[shape.near])
			continue;
		pairs[i] = pairs[tight];
		pairs[tight++] = shape;
	}
	return tight;
}

double level_curl(const struct level_shape *pairs, size_t n, uint32_t clocks, uint32_t parts,
		  uint32_t *loops)
{
	const size_t tree = clocks - parts;
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += pairs[i].apart / pairs[i].room * (pairs[i].apart / pairs[i].room);
	*loops = n > tree ? (uint32_t)(n - tree) : 0;
	return *loops ? sum / *loops : 0;
}

double level_curl_noise(const struct level_shape *pairs, size_t n)
{
	const double usual = level_noise(pairs, n);
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		const double noise = pairs[i].scatter >= 0 ? pairs[i].scatter : usual;
		sum += noise / pairs[i].room * (noise / pairs[i].room);
	}
	return CURL_NOISE + (n ? sum / (double)n : 0);
}

/* What a pair says of both of its clocks. */
struct clock_scatter {
	double sum, best; /* of inverse squares */
};

static void add_scatter(struct clock_scatter *of, double scatter)
{
	const double weight = 1 / (scatter * scatter);

	of->sum += weight;
	of->best = fmax(of->best, weight);
}

/* A pair has the errors of both clocks; a clock has the mean of its pairs. */
double level_noise(const struct level_shape *pairs, size_t n)
{
	const uint32_t clocks = clocks_of(pairs, n);
	OWNED struct clock_scatter *of = xcalloc(clocks + 1u, sizeof *of);
	OWNED double *noise = xmalloc((clocks + 1u) * sizeof *noise);
	size_t known = 0;

	for (size_t i = 0; i < n; i++) {
		if (pairs[i].scatter < 0)
			continue;
		add_scatter(&of[pairs[i].i], fmax(pairs[i].scatter, SCATTER_LEAST));
		add_scatter(&of[pairs[i].j], fmax(pairs[i].scatter, SCATTER_LEAST));
	}
	for (uint32_t c = 0; c < clocks; c++)
		if (of[c].sum > 0)
			noise[known++] = 1 / sqrt(fmax(of[c].sum / 2, of[c].best));
	return known ? median_of(noise, known) : NOISE_USUAL;
}

/* ---- paths ---- */

/* A step of a path, and how long the shortest one to a clock is: squares of ns. */
struct level_step {
	double symmetric, excess;
};

struct level_search {
	const struct level_shape *pairs;
	struct level_step *step; /* [pairs] */
	struct lists of;         /* pairs of each clock */
	struct time_heap heap;
	double *length; /* [clocks] */
	double *symmetric, *excess;
	uint32_t *parent;
};

static double length_of(struct level_step step)
{
	return step.symmetric + step.excess;
}

static struct level_step *make_steps(const struct level_shape *pairs, size_t n)
{
	struct level_step *steps = xmalloc((n + 1) * sizeof *steps);
	double base[2];

	find_base(pairs, n, base);
	for (size_t i = 0; i < n; i++) {
		const double room = fmin(pairs[i].room, BASE_ROOM * base[pairs[i].near]);
		const double excess = pairs[i].room - room;
		steps[i] = (struct level_step){ room * room, excess * excess };
	}
	return steps;
}

static void list_pairs(struct lists *of, const struct level_shape *pairs, size_t n, uint32_t clocks)
{
	OWNED uint32_t *ends = xmalloc((2 * n + 1) * sizeof *ends);

	/* Pair i is the things 2 i and 2 i + 1. */
	for (size_t i = 0; i < n; i++) {
		ends[2 * i] = pairs[i].i;
		ends[2 * i + 1] = pairs[i].j;
	}
	lists_make(of, clocks, ends, (uint32_t)(2 * n));
}

static void reach(struct level_search *s, uint32_t clock, uint32_t parent, double symmetric,
		  double excess)
{
	if (s->length[clock] <= symmetric + excess)
		return;
	if (!isinf(s->length[clock]))
		time_heap_remove(&s->heap, clock);
	s->length[clock] = symmetric + excess;
	s->symmetric[clock] = symmetric;
	s->excess[clock] = excess;
	s->parent[clock] = parent;
	time_heap_push(&s->heap, clock, level_order_of(s->length[clock]));
}

static void search(struct level_search *s)
{
	while (s->heap.n > 0) {
		const uint32_t clock = time_heap_pop(&s->heap);
		uint32_t n;
		const uint32_t *list = lists_of(&s->of, clock, &n);
		for (uint32_t k = 0; k < n; k++) {
			const size_t i = list[k] / 2;
			const uint32_t to = list[k] % 2 ? s->pairs[i].i : s->pairs[i].j;
			if (s->length[to] > s->length[clock] + length_of(s->step[i]))
				reach(s, to, clock, s->symmetric[clock] + s->step[i].symmetric,
				      s->excess[clock] + s->step[i].excess);
		}
	}
}

void level_paths(const struct level_shape *pairs, size_t n, uint32_t clocks,
		 const uint32_t *root_of, double *symmetric, double *excess, uint32_t *parent)
{
	struct level_search s = { .pairs = pairs,
				  .step = make_steps(pairs, n),
				  .length = xmalloc((clocks + 1u) * sizeof *s.length),
				  .symmetric = symmetric,
				  .excess = excess,
				  .parent = parent };

	list_pairs(&s.of, pairs, n, clocks);
	time_heap_init(&s.heap, clocks);
	for (uint32_t c = 0; c < clocks; c++) {
		s.length[c] = INFINITY;
		parent[c] = LEVEL_ROOT;
	}
	for (uint32_t c = 0; c < clocks; c++)
		if (root_of[c] == c)
			reach(&s, c, LEVEL_ROOT, 0, 0);
	search(&s);
	for (uint32_t c = 0; c < clocks; c++) {
		const bool reached = !isinf(s.length[c]);
		symmetric[c] = reached ? sqrt(symmetric[c]) : -1;
		excess[c] = reached ? sqrt(excess[c]) : -1;
	}
	time_heap_fini(&s.heap);
	lists_fini(&s.of);
	free_all(s.step, s.length);
}
