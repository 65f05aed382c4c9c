/* Shortest paths: by hand, and of random graphs what the least over all edges, again and again,
 * gives (Bellman and Ford). */
#include "base/shortest.h"

#include <math.h>

#include "harness/random.h"
#include "harness/test.h"

enum { NODES = 60, EDGES = 240 };

/* 0 -> 1 is 5, over 2 it is 3; 4 leads to 0 and is not reached; 3 begins with 1. */
static const struct path_edge by_hand[] = {
	{ 0, 1, 5 }, { 0, 2, 1 }, { 2, 1, 2 }, { 4, 0, 1 }, { 3, 5, 4 }, { 1, 5, 3 },
};

TEST(paths_are_the_shortest)
{
	double d[] = { 0, INFINITY, INFINITY, 1, INFINITY, INFINITY };
	struct path_step steps[6];

	assert_int_equal(shortest_paths(by_hand, 6, 6, false, d, steps), 5);
	assert_true(d[0] == 0 && d[1] == 3 && d[2] == 1 && d[3] == 1 && d[5] == 5);
	assert_true(isinf(d[4]));
	/* Nearest first, of equally near ones the first node. */
	assert_true(steps[0].node == 0 && steps[0].edge == PATH_START);
	assert_true(steps[1].node == 2 && steps[1].edge == 1);
	assert_true(steps[2].node == 3 && steps[2].edge == PATH_START);
	assert_true(steps[3].node == 1 && steps[3].edge == 2);
	assert_true(steps[4].node == 5 && steps[4].edge == 4);
}

TEST(edges_can_be_followed_backwards)
{
	double d[] = { INFINITY, 0, INFINITY, INFINITY, INFINITY, INFINITY };

	assert_int_equal(shortest_paths(by_hand, 6, 6, true, d, NULL), 4);
	assert_true(d[0] == 3 && d[1] == 0 && d[2] == 2 && d[4] == 4);
	assert_true(isinf(d[3]) && isinf(d[5]));
}

static void least_of_all(const struct path_edge *edges, bool reversed, double *d)
{
	for (int round = 0; round < NODES; round++)
		for (int i = 0; i < EDGES; i++) {
			const uint32_t from = reversed ? edges[i].to : edges[i].from;
			const uint32_t to = reversed ? edges[i].from : edges[i].to;
			d[to] = fmin(d[to], d[from] + edges[i].length);
		}
}

/* Each path is as long as that to the node before it and the edge between them. */
static void check_steps(const struct path_edge *edges, bool reversed, const double *d,
			const struct path_step *steps, uint32_t n)
{
	bool before[NODES] = { false };

	for (uint32_t i = 0; i < n; i++) {
		const struct path_step s = steps[i];
		if (s.edge != PATH_START) {
			const struct path_edge *e = &edges[s.edge];
			const uint32_t from = reversed ? e->to : e->from;
			assert_true((reversed ? e->from : e->to) == s.node && before[from]);
			assert_true(d[s.node] == d[from] + e->length);
		}
		assert_false(before[s.node]);
		before[s.node] = true;
	}
	for (uint32_t i = 0; i < NODES; i++)
		assert_true(before[i] == (bool)isfinite(d[i]));
}

TEST(random_graphs)
{
	struct rng r = { 20261130 };

	for (int round = 0; round < 200; round++) {
		struct path_edge edges[EDGES];
		struct path_step steps[NODES];
		double d[NODES], least[NODES];
		const bool reversed = round % 2;
		uint32_t n;
		/* Few lengths, so that many paths are equally long, and lengths of 0. */
		for (int i = 0; i < EDGES; i++)
			edges[i] = (struct path_edge){ rng_below(&r, NODES), rng_below(&r, NODES),
						       rng_below(&r, 8) };
		for (int i = 0; i < NODES; i++)
			d[i] = least[i] = rng_below(&r, 20) ? INFINITY : rng_below(&r, 10);
		n = shortest_paths(edges, EDGES, NODES, reversed, d, steps);
		least_of_all(edges, reversed, least);
		for (int i = 0; i < NODES; i++)
			assert_true(d[i] == least[i]);
		check_steps(edges, reversed, d, steps, n);
	}
}
