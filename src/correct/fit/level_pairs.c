/* What pairs of clocks show of the asymmetry of messages. */
#include <math.h>
#include <stdlib.h>

#include "base/median.h"
#include "base/mem.h"
#include "base/order.h"
#include "correct/fit/level.h"
#include "correct/fit/level_state.h"

#define LOOSE       2.0
#define CURL_NOISE  4e-4
#define NOISE_USUAL 5e3

static uint32_t clocks_of(const struct level_shape *pairs, size_t n)
{
	uint32_t clocks = 0;

	for (size_t i = 0; i < n; i++)
		if (pairs[i].j >= clocks)
			clocks = pairs[i].j + 1;
	return clocks;
}

/* A clock's best pair: its room, and what of it is known to be the link's. */
struct best_pair {
	double room, link;
};

static void improve(struct best_pair *best, const struct level_shape *pair)
{
	if (pair->level < best->room)
		*best = (struct best_pair){ pair->level,
					    pair->agree ? pair->level : LEVEL_ROOM_LEAST };
}

static int by_link(const void *left, const void *right)
{
	const struct best_pair *a = left, *b = right;

	return ORDER(a->link, b->link);
}

/* Sorted: those whose windows do not agree come first. A third of them: all may be by chance. */
static double base_of(const struct best_pair *best, size_t n)
{
	size_t unknown = 0;

	while (unknown < n && best[unknown].link <= LEVEL_ROOM_LEAST)
		unknown++;
	return best[3 * unknown >= n ? 0 : unknown + (n - unknown - 1) / 4].link;
}

void level_find_base(const struct level_shape *pairs, size_t n, double base[2])
{
	const uint32_t clocks = clocks_of(pairs, n);
	OWNED struct best_pair *best = xmalloc((clocks + 1u) * sizeof *best);

	for (int near = 0; near < 2; near++) {
		size_t known = 0;
		for (uint32_t c = 0; c < clocks; c++)
			best[c] = (struct best_pair){ INFINITY, INFINITY };
		for (size_t i = 0; i < n; i++) {
			if (pairs[i].near != near)
				continue;
			improve(&best[pairs[i].i], &pairs[i]);
			improve(&best[pairs[i].j], &pairs[i]);
		}
		SORT(best, clocks, by_link);
		while (known < clocks && !isinf(best[known].link))
			known++;
		base[near] = known ? base_of(best, known) : INFINITY;
	}
}

size_t level_tight_first(struct level_shape *pairs, size_t n)
{
	double base[2];
	size_t tight = 0;

	level_find_base(pairs, n, base);
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
		add_scatter(&of[pairs[i].i], fmax(pairs[i].scatter, LEVEL_NOISE_LEAST));
		add_scatter(&of[pairs[i].j], fmax(pairs[i].scatter, LEVEL_NOISE_LEAST));
	}
	for (uint32_t c = 0; c < clocks; c++)
		if (of[c].sum > 0)
			noise[known++] = 1 / sqrt(fmax(of[c].sum / 2, of[c].best));
	return known ? median_of(noise, known) : NOISE_USUAL;
}
