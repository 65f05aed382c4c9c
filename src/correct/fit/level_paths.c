/* The ways to clocks along pairs: Dijkstra over squares of rooms. */
#include <math.h>
#include <stdlib.h>

#include "base/lists.h"
#include "base/mem.h"
#include "correct/clocks/time_heap.h"
#include "correct/fit/level.h"
#include "correct/fit/level_state.h"

/* What makes a pair slower than this many times a good one of its kind is probably one-sided. */
#define BASE_ROOM 1.5

/* Squares, of a pair or a path of them. */
struct level_step {
	struct level_room level, turn;
};

struct level_search {
	const struct level_shape *pairs;
	struct level_step *step; /* [pairs] */
	struct lists of;         /* pairs of each clock */
	struct time_heap heap;
	double *length;         /* [clocks] */
	struct level_way *ways; /* [clocks] squares */
};

static double length_of(const struct level_room *squares)
{
	return squares->symmetric + squares->excess;
}

static struct level_room split(double room, double good)
{
	const double symmetric = fmin(room, good);

	return (struct level_room){ level_square(symmetric), level_square(room - symmetric) };
}

static struct level_room sum_of(const struct level_room *a, const struct level_room *b)
{
	return (struct level_room){ a->symmetric + b->symmetric, a->excess + b->excess };
}

static struct level_room root_of_squares(const struct level_room *squares)
{
	return (struct level_room){ sqrt(squares->symmetric), sqrt(squares->excess) };
}

/* The pair's random error, and that of a line through its windows; the fit follows tight pairs and
 * may turn clocks off the middle of others. */
static void add_noise(struct level_step *step, const struct level_shape *pair, double usual)
{
	const bool known = pair->scatter >= 0;
	const double noise = known ? fmax(pair->scatter, LEVEL_NOISE_LEAST) : usual;
	const double turn = known ? noise * 2 / pair->span : pair->turn / 2;

	step->level.excess += level_square(noise);
	step->turn.excess += 3 * level_square(turn) + level_square(pair->slope);
}

static struct level_step *make_steps(const struct level_shape *pairs, size_t n)
{
	struct level_step *steps = xmalloc((n + 1) * sizeof *steps);
	const double usual = level_noise(pairs, n);
	double base[2];

	level_find_base(pairs, n, base);
	for (size_t i = 0; i < n; i++) {
		const double good = BASE_ROOM * base[pairs[i].near];
		steps[i] = (struct level_step){ split(pairs[i].level, good),
						split(pairs[i].turn / 2, good / pairs[i].span) };
		add_noise(&steps[i], &pairs[i], usual);
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

static void reach(struct level_search *s, uint32_t clock, const struct level_way *way)
{
	const double length = length_of(&way->level);

	if (s->length[clock] <= length)
		return;
	if (!isinf(s->length[clock]))
		time_heap_remove(&s->heap, clock);
	s->length[clock] = length;
	s->ways[clock] = *way;
	time_heap_push(&s->heap, clock, level_order_of(length));
}

static void search(struct level_search *s)
{
	while (s->heap.n > 0) {
		const uint32_t clock = time_heap_pop(&s->heap);
		const struct level_way *way = &s->ways[clock];
		uint32_t n;
		const uint32_t *list = lists_of(&s->of, clock, &n);
		for (uint32_t k = 0; k < n; k++) {
			const size_t i = list[k] / 2;
			const struct level_way longer = { sum_of(&way->level, &s->step[i].level),
							  sum_of(&way->turn, &s->step[i].turn),
							  clock, true };
			reach(s, list[k] % 2 ? s->pairs[i].i : s->pairs[i].j, &longer);
		}
	}
}

void level_paths(const struct level_shape *pairs, size_t n, uint32_t clocks,
		 const uint32_t *root_of, struct level_way *ways)
{
	const struct level_way here = { .parent = LEVEL_ROOT, .reached = true };
	struct level_search s = { .pairs = pairs,
				  .step = make_steps(pairs, n),
				  .length = xmalloc((clocks + 1u) * sizeof *s.length),
				  .ways = ways };

	list_pairs(&s.of, pairs, n, clocks);
	time_heap_init(&s.heap, clocks);
	for (uint32_t c = 0; c < clocks; c++) {
		s.length[c] = INFINITY;
		ways[c] = (struct level_way){ .parent = LEVEL_ROOT };
	}
	for (uint32_t c = 0; c < clocks; c++)
		if (root_of[c] == c)
			reach(&s, c, &here);
	search(&s);
	for (uint32_t c = 0; c < clocks; c++) {
		ways[c].level = root_of_squares(&ways[c].level);
		ways[c].turn = root_of_squares(&ways[c].turn);
	}
	time_heap_fini(&s.heap);
	lists_fini(&s.of);
	free_all(s.step, s.length);
}
