/* The ways to clocks along pairs: the shortest paths, by squares of rooms. */
#include <math.h>

#include "base/mem.h"
#include "base/shortest.h"
#include "correct/fit/level.h"
#include "correct/fit/level_state.h"

/* What makes a pair slower than this many times a good one of its kind is probably one-sided. */
#define BASE_ROOM 1.5

/* Squares, of a pair or a path of them. */
struct level_step {
	struct level_room level, turn;
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

/* Pair i is the edges 2 i and 2 i + 1. */
static struct path_edge *make_edges(const struct level_shape *pairs, const struct level_step *step,
				    size_t n)
{
	struct path_edge *edges = xmalloc((2 * n + 1) * sizeof *edges);

	for (size_t i = 0; i < n; i++) {
		const double length = length_of(&step[i].level);
		edges[2 * i] = (struct path_edge){ pairs[i].i, pairs[i].j, length };
		edges[2 * i + 1] = (struct path_edge){ pairs[i].j, pairs[i].i, length };
	}
	return edges;
}

void level_paths(const struct level_shape *pairs, size_t n, uint32_t clocks,
		 const uint32_t *root_of, struct level_way *ways)
{
	OWNED struct level_step *step = make_steps(pairs, n);
	OWNED struct path_edge *edges = make_edges(pairs, step, n);
	OWNED double *length = xmalloc((clocks + 1u) * sizeof *length);
	OWNED struct path_step *found = xmalloc((clocks + 1u) * sizeof *found);
	uint32_t reached;

	for (uint32_t c = 0; c < clocks; c++) {
		length[c] = root_of[c] == c ? 0 : INFINITY;
		ways[c] = (struct level_way){ .parent = LEVEL_ROOT };
	}
	reached = shortest_paths(edges, 2 * n, clocks, false, length, found);
	for (uint32_t i = 0; i < reached; i++) {
		struct level_way *way = &ways[found[i].node];
		const struct level_way *before;
		way->reached = true;
		if (found[i].edge == PATH_START)
			continue;
		way->parent = edges[found[i].edge].from;
		before = &ways[way->parent];
		way->level = sum_of(&before->level, &step[found[i].edge / 2].level);
		way->turn = sum_of(&before->turn, &step[found[i].edge / 2].turn);
	}
	for (uint32_t c = 0; c < clocks; c++) {
		ways[c].level = root_of_squares(&ways[c].level);
		ways[c].turn = root_of_squares(&ways[c].turn);
	}
}
