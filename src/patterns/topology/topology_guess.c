#include "patterns/topology/topology_guess.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lists.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/vec.h"

const struct guess_limits guess_limits = {
	.grid = 0.8,
	.perhaps = 0.5,
	.ambiguous = 0.05,
	.links = 0.9,
	.weak = 0.15,
	.diagonal = 0.5,
	.wrap = 0.5,
	.messages = 4,
	.pairs = 50,
	.kept = 64,
};

struct partner_graph {
	uint32_t n;
	const struct guess_pair *pairs;
	size_t n_pairs;
	const struct guess_limits *limits;
	uint32_t *at_distance; /* [n] pairs by q - p */
};

struct factors {
	uint32_t dims;
	uint32_t size[GUESS_DIMS];
};

/* The links along one dimension. */
struct links {
	VEC(uint64_t) inner; /* messages of the pairs that are next to each other */
	VEC(uint64_t) wrap;  /* of those at opposite ends */
};

/* ---- score ---- */

static void links_fini(struct links *links)
{
	vec_fini(&links->inner);
	vec_fini(&links->wrap);
}

/* How two places differ: the only dimension in which they do (GUESS_DIMS: in several), and by how
 * much. */
static uint32_t only_dimension(const struct guess *g, const struct guess_pair *pair, uint32_t *by)
{
	const uint32_t *a = g->coords + (size_t)pair->p * g->dims;
	const uint32_t *b = g->coords + (size_t)pair->q * g->dims;
	uint32_t only = GUESS_DIMS;
	unsigned differing = 0;

	for (uint32_t i = 0; i < g->dims; i++)
		if (a[i] != b[i]) {
			*by = a[i] < b[i] ? b[i] - a[i] : a[i] - b[i];
			only = i;
			differing++;
		}
	return differing == 1 ? only : GUESS_DIMS;
}

/* Every component differs by at most one, around the ring if there is one. */
static bool is_near(const struct guess *g, const struct guess_pair *pair)
{
	const uint32_t *a = g->coords + (size_t)pair->p * g->dims;
	const uint32_t *b = g->coords + (size_t)pair->q * g->dims;

	for (uint32_t i = 0; i < g->dims; i++) {
		const uint32_t by = a[i] < b[i] ? b[i] - a[i] : a[i] - b[i];
		if (by > 1 && !(g->periodic[i] == 1 && by == g->size[i] - 1))
			return false;
	}
	return true;
}

static double sum(const uint64_t *data, size_t n)
{
	double total = 0;

	for (size_t i = 0; i < n; i++)
		total += (double)data[i];
	return total;
}

ORDERING_OF_NUMBERS(by_value, uint64_t)

/* How evenly the links of a dimension are used, silent ones included: 1 if all equally. */
static double evenness(const struct links *links, uint64_t slots, bool periodic)
{
	OWNED_VEC(uint64_t) all = VEC_INIT;
	uint64_t median = 0;
	double total = 0;

	vec_reserve(&all, links->inner.n + links->wrap.n + 1);
	for (size_t i = 0; i < links->inner.n; i++)
		vec_push(&all, links->inner.data[i]);
	for (size_t i = 0; periodic && i < links->wrap.n; i++)
		vec_push(&all, links->wrap.data[i]);
	vec_sort(&all, by_value);
	/* The silent ones come before the sorted ones. */
	if (slots / 2 >= slots - all.n)
		median = all.data[slots / 2 - (slots - all.n)];
	for (size_t i = 0; i < all.n; i++)
		total += (double)(all.data[i] < median ? all.data[i] : median);
	return median ? total / ((double)slots * (double)median) : 0;
}

/* Share of the traffic on links, and partly of that to diagonal neighbours: of bytes or of
 * messages, whichever is larger. */
static double coverage(const struct partner_graph *graph, const struct guess *g)
{
	double covered[2] = { 0, 0 }, total[2] = { 0, 0 };

	for (size_t i = 0; i < graph->n_pairs; i++) {
		const struct guess_pair *pair = &graph->pairs[i];
		uint32_t by = 0;
		const uint32_t only = only_dimension(g, pair, &by);
		const bool unit = only < GUESS_DIMS &&
				  (by == 1 || (g->periodic[only] == 1 && by == g->size[only] - 1));
		const double part = unit ? 1 : is_near(g, pair) ? graph->limits->diagonal : 0;
		covered[0] += part * (double)pair->messages;
		covered[1] += part * (double)pair->bytes;
		total[0] += (double)pair->messages;
		total[1] += (double)pair->bytes;
	}
	return fmax(total[0] > 0 ? covered[0] / total[0] : 0,
		    total[1] > 0 ? covered[1] / total[1] : 0);
}

/* The coverage that traffic spread evenly over all pairs would have. */
static double chance(const struct partner_graph *graph, const struct guess *g, double slots)
{
	const double n = graph->n;
	double near = 1;

	for (uint32_t i = 0; i < g->dims; i++)
		near *= g->periodic[i] == 1 ? 3 : 3 - 2.0 / g->size[i];
	return (slots + graph->limits->diagonal * (n * (near - 1) / 2 - slots)) / (n * (n - 1) / 2);
}

/* Finds out which dimensions are rings, and how even their links are: the smallest evenness; 0 if
 * too few are used. */
static double look_at_links(const struct partner_graph *graph, struct guess *g, double *slots)
{
	struct links links[GUESS_DIMS] = { 0 };
	double least = 1;

	for (size_t k = 0; k < graph->n_pairs; k++) {
		uint32_t by = 0;
		const uint32_t i = only_dimension(g, &graph->pairs[k], &by);
		if (i < GUESS_DIMS && by == 1)
			vec_push(&links[i].inner, graph->pairs[k].messages);
		else if (i < GUESS_DIMS && by == g->size[i] - 1)
			vec_push(&links[i].wrap, graph->pairs[k].messages);
	}
	*slots = 0;
	for (uint32_t i = 0; i < g->dims; i++) {
		const uint64_t lines = graph->n / g->size[i];
		const uint64_t inner = lines * (g->size[i] - 1);
		uint64_t all = inner;
		if ((double)links[i].inner.n < graph->limits->links * (double)inner)
			least = 0;
		g->periodic[i] =
			g->size[i] == 2
				? 2
				: sum(links[i].wrap.data, links[i].wrap.n) / (double)lines >=
					  graph->limits->wrap *
						  sum(links[i].inner.data, links[i].inner.n) /
						  (double)inner;
		if (g->periodic[i] == 1)
			all += lines;
		least = fmin(least, evenness(&links[i], all, g->periodic[i] == 1));
		*slots += (double)all;
		links_fini(&links[i]);
	}
	return least;
}

static void score(const struct partner_graph *graph, struct guess *g)
{
	double slots, c0;
	const double even = look_at_links(graph, g, &slots);

	g->score = 0;
	if (even <= 0)
		return;
	c0 = chance(graph, g, slots);
	if (c0 < 1)
		g->score = fmax(0, (coverage(graph, g) - c0) / (1 - c0)) * even;
}

/* ---- candidates ---- */

/* Keeps a guess among the best; takes its coordinates. */
static void keep(struct guesses *best, struct guess *g)
{
	for (unsigned i = 0; i < GUESSES; i++) {
		if (i < best->n && g->score <= best->guess[i].score)
			continue;
		if (best->n == GUESSES)
			free(best->guess[GUESSES - 1].coords);
		else
			best->n++;
		for (unsigned k = best->n - 1; k > i; k--)
			best->guess[k] = best->guess[k - 1];
		best->guess[i] = *g;
		return;
	}
	free(g->coords);
}

static void try_factors(const struct partner_graph *graph, const struct factors *f,
			struct guesses *best)
{
	struct guess g = { .dims = f->dims };

	memcpy(g.size, f->size, sizeof g.size);
	g.coords = xcalloc((size_t)graph->n * f->dims, sizeof *g.coords);
	for (uint32_t r = 0; r < graph->n; r++)
		for (uint32_t i = 0, rest = r; i < f->dims; i++) {
			g.coords[(size_t)r * f->dims + i] = rest % f->size[i];
			rest /= f->size[i];
		}
	score(graph, &g);
	keep(best, &g);
}

/* Whether enough pairs are a stride of each dimension apart: a cheap test before the others. */
static bool may_fit(const struct partner_graph *graph, const struct factors *f)
{
	uint32_t stride = 1;

	for (uint32_t i = 0; i < f->dims; i++) {
		const double size = f->size[i];
		if (graph->at_distance[stride] <
		    graph->limits->links * graph->n * (size - 1) / size)
			return false;
		stride *= f->size[i];
	}
	return true;
}

struct grid_candidates {
	struct factors *data;
	size_t n, cap;
};

static void consider(const struct partner_graph *graph, struct grid_candidates *kept,
		     struct factors f)
{
	if (kept->n <= graph->limits->kept && may_fit(graph, &f))
		vec_push(kept, f);
}

/* All ordered factorisations in one to three factors, the first of which runs fastest. */
static void collect(const struct partner_graph *graph, struct grid_candidates *kept)
{
	const uint32_t n = graph->n;
	OWNED_VEC(uint32_t) divisors = VEC_INIT;

	for (uint32_t d = 2; (uint64_t)d * d <= n; d++)
		if (n % d == 0) {
			vec_push(&divisors, d);
			if (d != n / d)
				vec_push(&divisors, n / d);
		}
	consider(graph, kept, (struct factors){ 1, { n, 0, 0 } });
	for (size_t i = 0; i < divisors.n; i++) {
		const uint32_t x = divisors.data[i], rest = n / x;
		consider(graph, kept, (struct factors){ 2, { x, rest, 0 } });
		for (size_t k = 0; k < divisors.n; k++) {
			const uint32_t y = divisors.data[k];
			if (rest % y == 0 && y < rest)
				consider(graph, kept, (struct factors){ 3, { x, y, rest / y } });
		}
	}
}

/* ---- ranks in another order ---- */

enum { CORNERS = 8, FAR = UINT32_MAX };

static bool is_strong(const struct partner_graph *graph, const struct guess_pair *pair,
		      uint64_t most)
{
	return (double)pair->bytes >= graph->limits->weak * (double)most;
}

static void adjacency_make(const struct partner_graph *graph, struct lists *a)
{
	OWNED uint32_t *ends = xmalloc((2 * graph->n_pairs + 1) * sizeof *ends);
	uint64_t most = 0;

	for (size_t i = 0; i < graph->n_pairs; i++)
		if (graph->pairs[i].bytes > most)
			most = graph->pairs[i].bytes;
	for (size_t i = 0; i < graph->n_pairs; i++) {
		const struct guess_pair *pair = &graph->pairs[i];
		const bool strong = is_strong(graph, pair, most);
		ends[2 * i] = strong ? pair->p : FAR;
		ends[2 * i + 1] = strong ? pair->q : FAR;
	}
	lists_of_neighbours(a, graph->n, ends, (uint32_t)graph->n_pairs);
}

static uint32_t degree(const struct lists *a, uint32_t v)
{
	return a->start[v + 1] - a->start[v];
}

static void distances(const struct lists *a, uint32_t n, uint32_t from, uint32_t *distance)
{
	OWNED uint32_t *queue = xcalloc(n, sizeof *queue);
	uint32_t head = 0, tail = 0;

	memset(distance, 0xff, n * sizeof *distance);
	distance[from] = 0;
	queue[tail++] = from;
	while (head < tail) {
		const uint32_t v = queue[head++];
		for (uint32_t i = a->start[v]; i < a->start[v + 1]; i++)
			if (distance[a->list[i]] == FAR) {
				distance[a->list[i]] = distance[v] + 1;
				queue[tail++] = a->list[i];
			}
	}
}

struct corners {
	unsigned n;
	unsigned dims; /* number of neighbours of a corner */
	uint32_t at[CORNERS];
	uint32_t *distance[CORNERS]; /* [n of the graph] */
};

/* The places of least degree; false if they cannot be the corners of a grid. */
static bool corners_find(const struct lists *a, uint32_t n, struct corners *c)
{
	uint32_t least = FAR;

	*c = (struct corners){ 0 };
	for (uint32_t v = 0; v < n; v++)
		if (degree(a, v) < least)
			least = degree(a, v);
	if (least < 1 || least > GUESS_DIMS)
		return false;
	c->dims = least;
	for (uint32_t v = 0; v < n; v++)
		if (degree(a, v) == least) {
			if (c->n == CORNERS)
				return false;
			c->at[c->n++] = v;
		}
	return c->n > c->dims;
}

/* Coordinates from the distances to corner 0 and to the corners at the other end of each dimension;
 * false if they do not fit, or if two ranks would be at one place. */
static bool place(uint32_t n, const struct corners *c, const unsigned *far, struct guess *g)
{
	uint64_t places = 1;
	uint8_t *taken;
	bool ok = true;

	for (unsigned i = 0; i < c->dims; i++) {
		const uint32_t d = c->distance[0][c->at[far[i]]];
		if (d == FAR || d == 0)
			return false;
		g->size[i] = d + 1;
		places *= g->size[i];
		if (places > n)
			return false;
	}
	if (places != n)
		return false;
	taken = xcalloc(n, 1);
	for (uint32_t v = 0; ok && v < n; v++) {
		uint64_t index = 0, stride = 1;
		for (unsigned i = 0; ok && i < c->dims; i++) {
			const int64_t twice = (int64_t)c->distance[0][v] -
					      (int64_t)c->distance[far[i]][v] + g->size[i] - 1;
			ok = c->distance[0][v] != FAR && c->distance[far[i]][v] != FAR &&
			     twice >= 0 && twice % 2 == 0 && twice / 2 < g->size[i];
			g->coords[(size_t)v * g->dims + i] = ok ? (uint32_t)(twice / 2) : 0;
			index += stride * g->coords[(size_t)v * g->dims + i];
			stride *= g->size[i];
		}
		ok = ok && !taken[index];
		if (ok)
			taken[index] = 1;
	}
	free(taken);
	return ok;
}

static void try_corners(const struct partner_graph *graph, const struct corners *c,
			const unsigned *far, struct guesses *best)
{
	struct guess g = { .dims = c->dims, .permuted = true };

	g.coords = xcalloc((size_t)graph->n * c->dims, sizeof *g.coords);
	if (!place(graph->n, c, far, &g)) {
		free(g.coords);
		return;
	}
	score(graph, &g);
	keep(best, &g);
}

/* Every choice of the corners at the other ends, in their order: at most 35. */
static void try_all_corners(const struct partner_graph *graph, const struct corners *c,
			    struct guesses *best)
{
	unsigned far[GUESS_DIMS];

	for (far[0] = 1; far[0] < c->n; far[0]++) {
		if (c->dims == 1)
			try_corners(graph, c, far, best);
		for (far[1] = far[0] + 1; c->dims > 1 && far[1] < c->n; far[1]++) {
			if (c->dims == 2)
				try_corners(graph, c, far, best);
			for (far[2] = far[1] + 1; c->dims > 2 && far[2] < c->n; far[2]++)
				try_corners(graph, c, far, best);
		}
	}
}

static void guess_permuted(const struct partner_graph *graph, struct guesses *best)
{
	struct lists a;
	struct corners c;

	adjacency_make(graph, &a);
	if (corners_find(&a, graph->n, &c)) {
		for (unsigned i = 0; i < c.n; i++) {
			c.distance[i] = xcalloc(graph->n, sizeof *c.distance[i]);
			distances(&a, graph->n, c.at[i], c.distance[i]);
		}
		try_all_corners(graph, &c, best);
		for (unsigned i = 0; i < c.n; i++)
			free(c.distance[i]);
	}
	lists_fini(&a);
}

/* ---- the guess ---- */

/* False, with the reason, if the graph is not worth a search. */
static bool worth_looking(const struct partner_graph *graph, char *why, size_t size)
{
	double messages = 0;

	for (size_t i = 0; i < graph->n_pairs; i++)
		messages += (double)graph->pairs[i].messages;
	if (graph->n < 4)
		snprintf(why, size, "No grid is guessed for fewer than four ranks.");
	else if (graph->n_pairs == 0)
		snprintf(why, size, "No rank sends a message to another.");
	else if (graph->n_pairs > (size_t)graph->limits->pairs * graph->n)
		snprintf(why, size, "Ranks have too many partners for a grid.");
	else if (messages < graph->limits->messages * (double)graph->n_pairs)
		snprintf(why, size,
			 "Too few messages for a guess: %.1f on average between two partners.",
			 messages / (double)graph->n_pairs);
	else
		return true;
	return false;
}

static void drop_behind(struct guesses *guesses, unsigned n)
{
	while (guesses->n > n)
		free(guesses->guess[--guesses->n].coords);
}

static void guess(const struct partner_graph *graph, struct guesses *guesses)
{
	const struct guess_limits *limits = graph->limits;
	struct grid_candidates kept = { 0 };
	double best;

	collect(graph, &kept);
	/* A graph that fits all of these is not a grid, and the search would take long. */
	for (size_t i = 0; kept.n <= limits->kept && i < kept.n; i++)
		try_factors(graph, &kept.data[i], guesses);
	vec_fini(&kept);
	best = guesses->n ? guesses->guess[0].score : 0;
	if (best < limits->perhaps && graph->n >= 6)
		guess_permuted(graph, guesses);
	best = guesses->n ? guesses->guess[0].score : 0;
	if (best < limits->perhaps) {
		snprintf(guesses->why, sizeof guesses->why,
			 "The messages do not form a grid (best score %.2f of 1).", best);
		drop_behind(guesses, 0);
	} else if (guesses->n > 1 && guesses->guess[1].score < best - limits->ambiguous) {
		drop_behind(guesses, 1);
	}
}

void guesses_make(struct guesses *guesses, uint32_t n, const struct guess_pair *pairs,
		  size_t n_pairs, const struct guess_limits *limits)
{
	struct partner_graph graph = { n, pairs, n_pairs, limits, NULL };

	*guesses = (struct guesses){ 0 };
	if (!worth_looking(&graph, guesses->why, sizeof guesses->why))
		return;
	graph.at_distance = xcalloc(n, sizeof *graph.at_distance);
	for (size_t i = 0; i < n_pairs; i++)
		graph.at_distance[pairs[i].q - pairs[i].p]++;
	guess(&graph, guesses);
	free(graph.at_distance);
}

void guesses_fini(struct guesses *guesses)
{
	drop_behind(guesses, 0);
}
