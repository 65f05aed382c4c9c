/* The guess of a grid from who talks to whom: made-up graphs whose answer is known, the list of
 * what is no grid (specs: topology, section 3), and random ones. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "harness/random.h"
#include "harness/test.h"
#include "patterns/topology/topology_guess.h"

struct graph {
	uint32_t n;
	struct guess_pair *data;
	size_t size, cap;
	const uint32_t *order; /* what rank stands at a place; NULL: the place's number */
};

static void talk(struct graph *g, uint32_t a, uint32_t b, uint64_t messages, uint64_t bytes)
{
	VEC(struct guess_pair) pairs = { g->data, g->size, g->cap };
	uint32_t p = g->order ? g->order[a] : a, q = g->order ? g->order[b] : b;

	if (p > q) {
		const uint32_t t = p;
		p = q;
		q = t;
	}
	for (size_t i = 0; i < pairs.n; i++)
		if (pairs.data[i].p == p && pairs.data[i].q == q) {
			pairs.data[i].messages += messages;
			pairs.data[i].bytes += bytes;
			return;
		}
	if (p != q)
		vec_push(&pairs, ((struct guess_pair){ p, q, messages, bytes }));
	g->data = pairs.data;
	g->size = pairs.n;
	g->cap = pairs.cap;
}

/* A grid of up to three dimensions, the first fastest; links of 100 messages of 1000 bytes. `rings`
 * are bits. */
static void grid(struct graph *g, uint32_t x, uint32_t y, uint32_t z, unsigned rings)
{
	const uint32_t size[3] = { x, y, z }, stride[3] = { 1, x, x * y };

	g->n = x * y * z;
	for (uint32_t v = 0; v < g->n; v++)
		for (int d = 0; d < 3; d++) {
			const uint32_t at = v / stride[d] % size[d];
			if (at + 1 < size[d])
				talk(g, v, v + stride[d], 100, 100000);
			else if (rings >> d & 1 && size[d] > 2)
				talk(g, v, v - (size[d] - 1) * stride[d], 100, 100000);
		}
}

static void all_to_all(struct graph *g, uint32_t n)
{
	g->n = n;
	for (uint32_t p = 0; p < n; p++)
		for (uint32_t q = p + 1; q < n; q++)
			talk(g, p, q, 100, 100000);
}

static struct guesses look(struct graph *g)
{
	struct guesses guesses;

	guesses_make(&guesses, g->n, g->data, g->size, &guess_limits);
	free(g->data);
	g->data = NULL;
	g->size = g->cap = 0;
	return guesses;
}

/* The best guess has these sizes (0: no such dimension) and rings, with at least this score. */
static void expect(struct graph *g, uint32_t x, uint32_t y, uint32_t z, unsigned rings,
		   double score)
{
	ENDED_BY(guesses_fini) struct guesses guesses = look(g);
	const uint32_t size[3] = { x, y, z };

	assert_true(guesses.n >= 1);
	assert_true(guesses.guess[0].score >= score && guesses.guess[0].score <= 1 + 1e-9);
	assert_int_equal(guesses.guess[0].dims, z ? 3 : y ? 2 : 1);
	for (uint32_t d = 0; d < guesses.guess[0].dims; d++) {
		assert_int_equal(guesses.guess[0].size[d], size[d]);
		assert_int_equal(guesses.guess[0].periodic[d],
				 size[d] == 2 ? 2 : (int)(rings >> d & 1));
	}
}

static void expect_none(struct graph *g)
{
	ENDED_BY(guesses_fini) struct guesses guesses = look(g);

	assert_int_equal(guesses.n, 0);
	assert_true(guesses.why[0] != 0);
}

TEST(grids_are_found)
{
	static const uint32_t sizes[][3] = {
		{ 2, 2, 1 }, { 4, 4, 1 }, { 2, 4, 1 }, { 4, 2, 1 },  { 8, 8, 1 },   { 3, 7, 1 },
		{ 3, 3, 3 }, { 2, 3, 4 }, { 4, 2, 3 }, { 16, 4, 2 }, { 32, 32, 1 }, { 2, 2, 2 }
	};
	struct graph g = { 0 };

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		const uint32_t *s = sizes[i];
		grid(&g, s[0], s[1], s[2], 0);
		expect(&g, s[0], s[1], s[2] > 1 ? s[2] : 0, 0, 0.999);
	}
}

TEST(rings_and_chains_are_found)
{
	struct graph g = { 0 };

	grid(&g, 4, 4, 1, 3);
	expect(&g, 4, 4, 0, 3, 0.999);
	grid(&g, 6, 3, 4, 5);
	expect(&g, 6, 3, 4, 5, 0.999);
	grid(&g, 8, 1, 1, 0);
	expect(&g, 8, 0, 0, 0, 0.999);
	grid(&g, 7, 1, 1, 1);
	expect(&g, 7, 0, 0, 1, 0.999);
	/* A single far link is no ring. */
	grid(&g, 8, 1, 1, 0);
	talk(&g, 0, 7, 10, 10);
	expect(&g, 8, 0, 0, 0, 0.9);
}

/* 26 neighbours with as many messages each, faces with most of the bytes (LULESH). */
TEST(neighbours_at_corners_do_not_hide_the_grid)
{
	struct graph g = { .n = 27 };

	for (uint32_t p = 0; p < 27; p++)
		for (uint32_t q = p + 1; q < 27; q++) {
			const int x = abs((int)(p % 3) - (int)(q % 3));
			const int y = abs((int)(p / 3 % 3) - (int)(q / 3 % 3));
			const int z = abs((int)(p / 9) - (int)(q / 9));
			if (x > 1 || y > 1 || z > 1)
				continue;
			talk(&g, p, q, 50, x + y + z == 1 ? 500000 : x + y + z == 2 ? 10000 : 400);
		}
	expect(&g, 3, 3, 3, 0, 0.8);
}

TEST(ranks_in_another_order_are_placed)
{
	static const uint32_t sizes[][3] = {
		{ 4, 4, 1 }, { 3, 5, 1 }, { 3, 4, 2 }, { 12, 1, 1 }, { 3, 3, 3 }, { 2, 8, 1 },
	};
	struct rng rng = { 4711 };

	for (size_t i = 0; i < 60; i++) {
		const uint32_t *s = sizes[i % (sizeof sizes / sizeof *sizes)],
			       n = s[0] * s[1] * s[2];
		uint32_t order[64], found[3], wanted[3];
		struct graph g = { .order = order };
		struct guesses guesses;
		for (uint32_t v = 0; v < n; v++)
			order[v] = v;
		for (uint32_t v = n; v-- > 1;) {
			const uint32_t w = rng_below(&rng, v + 1), t = order[v];
			order[v] = order[w];
			order[w] = t;
		}
		grid(&g, s[0], s[1], s[2], 0);
		guesses_make(&guesses, n, g.data, g.size, &guess_limits);
		assert_true(guesses.n >= 1);
		assert_true(guesses.guess[0].score > 0.999);
		/* The same grid but for its orientation: sizes as a set, and links are links. */
		for (uint32_t d = 0; d < 3; d++) {
			found[d] = d < guesses.guess[0].dims ? guesses.guess[0].size[d] : 1;
			wanted[d] = s[d];
		}
		assert_int_equal(found[0] * found[1] * found[2], n);
		assert_int_equal(found[0] + found[1] + found[2], wanted[0] + wanted[1] + wanted[2]);
		for (size_t k = 0; k < g.size; k++) {
			unsigned apart = 0;
			for (uint32_t d = 0; d < guesses.guess[0].dims; d++) {
				const uint32_t dims = guesses.guess[0].dims;
				apart += (unsigned)abs(
					(int)guesses.guess[0].coords[g.data[k].p * dims + d] -
					(int)guesses.guess[0].coords[g.data[k].q * dims + d]);
			}
			assert_int_equal(apart, 1);
		}
		guesses_fini(&guesses);
		free(g.data);
	}
}

TEST(a_shuffled_torus_stays_unknown)
{
	uint32_t order[16] = { 5, 2, 9, 14, 0, 11, 7, 3, 12, 8, 1, 15, 10, 4, 13, 6 };
	struct graph g = { .order = order };

	grid(&g, 4, 4, 1, 3);
	expect_none(&g);
}

TEST(what_is_no_grid)
{
	struct rng rng = { 99 };
	struct graph g = { 0 };

	for (uint32_t n = 4; n <= 36; n += 4) {
		all_to_all(&g, n);
		expect_none(&g);
		g.n = n; /* star */
		for (uint32_t v = 1; v < n; v++)
			talk(&g, 0, v, 100, 100000);
		expect_none(&g);
	}
	g.n = 16; /* hypercube */
	for (uint32_t v = 0; v < 16; v++)
		for (uint32_t bit = 1; bit < 16; bit *= 2)
			if (!(v & bit))
				talk(&g, v, v | bit, 100, 100000);
	expect_none(&g);
	g.n = 16; /* dissemination */
	for (uint32_t v = 0; v < 16; v++)
		for (uint32_t by = 1; by < 16; by *= 2)
			talk(&g, v, (v + by) % 16, 100, 100000);
	expect_none(&g);
	g.n = 8; /* pairs by themselves */
	for (uint32_t v = 0; v < 8; v += 2)
		talk(&g, v, v + 1, 100, 100000);
	expect_none(&g);
	for (int i = 0; i < 50; i++) { /* random: 12 ranks with 3 partners each */
		g.n = 12;
		for (uint32_t v = 0; v < 12; v++)
			for (int k = 0; k < 3; k++)
				talk(&g, v, rng_below(&rng, 12), 100, 100000);
		expect_none(&g);
	}
	g.n = 13; /* a prime number that is no chain */
	for (uint32_t v = 0; v < 13; v++)
		talk(&g, v, (v + 5) % 13, 100, 100000);
	expect_none(&g);
}

TEST(too_little_to_go_by)
{
	struct graph g = { .n = 8 };

	expect_none(&g); /* nobody talks */
	for (uint32_t p = 0; p < 8; p++)
		for (uint32_t q = p + 1; q < 8; q++)
			talk(&g, p, q, 1, 4);
	g.n = 8;
	expect_none(&g);
	g.n = 16; /* a grid, but a message a link */
	for (uint32_t v = 0; v < 16; v++)
		if (v % 4 < 3)
			talk(&g, v, v + 1, 3, 3000);
	for (uint32_t v = 0; v < 12; v++)
		talk(&g, v, v + 4, 3, 3000);
	expect_none(&g);
	g.n = 3;
	talk(&g, 0, 1, 100, 100);
	talk(&g, 1, 2, 100, 100);
	expect_none(&g);
	g.n = 200; /* more pairs than a grid has: not even looked at */
	all_to_all(&g, 200);
	expect_none(&g);
}

/* Links of one dimension that are used unequally are no grid code's (cg: 832 against 2528
 * messages). */
TEST(uneven_links_count_against_it)
{
	struct graph g = { .n = 8 };
	struct guesses guesses;

	for (uint32_t v = 0; v < 7; v++)
		talk(&g, v, v + 1, v % 2 ? 2528 : 832, v % 2 ? 2528000 : 832000);
	guesses = look(&g);
	/* By hand: median 832 (element 3 of 4 times 832, 3 times 2528): all links count 832,
	 * evenness 1; with 3 of the lower instead 4 x 2528 it is (3 * 832 + 4 * 2528) / (7 * 2528)
	 * = .712. */
	assert_true(guesses.n == 1 && guesses.guess[0].score > 0.999);
	guesses_fini(&guesses);
	g.n = 8;
	for (uint32_t v = 0; v < 7; v++)
		talk(&g, v, v + 1, v % 2 ? 832 : 2528, v % 2 ? 832000 : 2528000);
	guesses = look(&g);
	assert_int_equal(guesses.n, 1);
	assert_true(guesses.guess[0].score > 0.711 && guesses.guess[0].score < 0.713);
	assert_true(guesses.guess[0].score < guess_limits.grid);
	guesses_fini(&guesses);
}

/* Whatever the graph: scores are shares, places are on the grid and each has one rank; more
 * messages of all alike change nothing. */
TEST(random_graphs)
{
	struct rng rng = { 20260 };

	for (int round = 0; round < 400; round++) {
		struct graph g = { .n = 1 + rng_below(&rng, 40) };
		struct guesses a, b;
		const uint32_t pairs = rng_below(&rng, 4 * g.n + 1);
		if (round % 4 == 0)
			grid(&g, 1 + rng_below(&rng, 5), 1 + rng_below(&rng, 5),
			     1 + rng_below(&rng, 3), rng_below(&rng, 8));
		for (uint32_t i = 0; i < pairs; i++)
			talk(&g, rng_below(&rng, g.n), rng_below(&rng, g.n),
			     1 + rng_below(&rng, 200), rng_below(&rng, 1u << 20));
		guesses_make(&a, g.n, g.data, g.size, &guess_limits);
		for (unsigned i = 0; i < a.n; i++) {
			uint64_t seen[2] = { 0, 0 }, places = 1;
			assert_true(a.guess[i].score >=
				    guess_limits.perhaps - guess_limits.ambiguous);
			assert_true(a.guess[i].score <= 1 + 1e-9);
			for (uint32_t d = 0; d < a.guess[i].dims; d++)
				places *= a.guess[i].size[d];
			assert_int_equal(places, g.n);
			for (uint32_t v = 0; v < g.n; v++) {
				uint32_t at = 0;
				for (uint32_t d = a.guess[i].dims; d-- > 0;) {
					const uint32_t x =
						a.guess[i].coords[v * a.guess[i].dims + d];
					assert_true(x < a.guess[i].size[d]);
					at = at * a.guess[i].size[d] + x;
				}
				assert_false(seen[at / 64] >> at % 64 & 1);
				seen[at / 64] |= UINT64_C(1) << at % 64;
			}
		}
		for (size_t i = 0; i < g.size; i++) {
			g.data[i].messages *= 8;
			g.data[i].bytes *= 8;
		}
		guesses_make(&b, g.n, g.data, g.size, &guess_limits);
		if (a.n && b.n)
			assert_true(a.guess[0].score == b.guess[0].score);
		guesses_fini(&a);
		guesses_fini(&b);
		free(g.data);
	}
}
