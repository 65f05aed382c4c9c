/* Which edges the fit keeps, against a program that makes the cells of pairs and intervals one by
 * one, in any order of the edges. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "correct/fit/fit_state.h"
#include "harness/processes.h"
#include "harness/random.h"
#include "harness/test.h"

enum { FEW = 6, CLOCKS = 3 * SHARE_LEAST, MOST = 8000, TENTHS = 10 };
#define LENGTH 1e9 /* ns: 512 intervals are of 2 ms */

/* Between `of` clocks out of `clocks`. */
static struct fit_edge *make(size_t n, uint32_t of, uint32_t clocks, uint64_t seed)
{
	const uint32_t apart = clocks / of;
	struct fit_edge *list = test_calloc(n, sizeof *list);
	struct rng r = { seed };

	/* Whole microseconds: many are equally tight. */
	for (size_t i = 0; i < n; i++) {
		const double recv = 1e3 * rng_below(&r, 1000000);
		const uint32_t from = rng_below(&r, of);
		const uint32_t to = (from + 1 + rng_below(&r, of - 1)) % of;
		list[i] = (struct fit_edge){ recv - 1e3 * rng_below(&r, TENTHS), recv, from * apart,
					     to * apart, 0 };
	}
	return list;
}

static void shuffle(struct fit_edge *list, size_t n, uint64_t seed)
{
	struct rng r = { seed };

	for (size_t i = n; i > 1; i--) {
		const size_t j = rng_below(&r, (uint32_t)i);
		const struct fit_edge moved = list[j];
		list[j] = list[i - 1];
		list[i - 1] = moved;
	}
}

ORDERING(by_place, struct fit_edge, from, to, recv, send)

/* The tightest of each cell, of equals the earliest receive; returns how many. */
static size_t cells(const struct fit_edge *list, size_t n, uint32_t intervals, struct fit_edge *out)
{
	const size_t size = (size_t)CLOCKS * CLOCKS * intervals;
	const struct fit_edge **cell = test_calloc(size, sizeof *cell);
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		const struct fit_edge *e = &list[i];
		const uint32_t k = (uint32_t)(e->recv * intervals / LENGTH);
		const struct fit_edge **at =
			&cell[((size_t)e->from * CLOCKS + e->to) * intervals + k];
		const double was = *at ? (*at)->recv - (*at)->send : 0, is = e->recv - e->send;
		if (!*at || is < was || (is == was && e->recv < (*at)->recv))
			*at = e;
	}
	for (size_t i = 0; i < size; i++)
		if (cell[i])
			out[kept++] = *cell[i];
	test_free(cell);
	return kept;
}

static size_t expected(const struct fit_edge *list, size_t n, size_t limit, struct fit_edge *out)
{
	uint32_t intervals = 512;
	size_t kept = n;

	if (n > limit) {
		for (kept = cells(list, n, intervals, out); kept > limit / 2 && intervals > 128;)
			kept = cells(list, n, intervals /= 2, out);
	} else {
		memcpy(out, list, n * sizeof *out);
	}
	SORT(out, kept, by_place);
	return kept;
}

/* Of several processes the first has most edges. */
struct edges_sharing {
	const struct clocks *clocks;
	const struct fit_edge *list;
	size_t n, limit;
	struct fit_edges edges[8];
	uint32_t begin[8], end[8]; /* clocks of each process */
};

static void share(struct exchange *x, void *context)
{
	struct edges_sharing *s = context;
	struct fit_edges *edges = &s->edges[x->process];
	ENDED_BY(share_fini) struct fit_share part;

	share_init(&part, x, s->clocks->n);
	edges_init(edges, s->clocks, s->limit);
	for (size_t i = 0; i < s->n; i++)
		if ((i % 3 ? 0 : i / 3 % x->processes) == x->process)
			edges_add(edges, &s->list[i]);
	edges_settle(edges, &part);
	for (size_t i = 0; i < edges->n; i++) {
		edges->data[i].from = share_clock(&part, edges->data[i].from);
		edges->data[i].to = share_clock(&part, edges->data[i].to);
	}
	s->begin[x->process] = share_begin(&part);
	s->end[x->process] = share_begin(&part) + part.own;
}

/* Each process has those of the truth that touch its clocks, in the same order. */
static void assert_part(const struct edges_sharing *s, uint32_t process,
			const struct fit_edge *truth, const uint8_t *flags)
{
	const struct fit_edges *edges = &s->edges[process];
	const uint32_t begin = s->begin[process], end = s->end[process];
	size_t at = 0;

	for (size_t i = 0; i < edges->kept; i++) {
		if ((truth[i].from < begin || truth[i].from >= end) &&
		    (truth[i].to < begin || truth[i].to >= end))
			continue;
		assert_true(at < edges->n);
		assert_memory_equal(&edges->data[at], &truth[i], sizeof *truth);
		assert_int_equal(edges->flags[at], flags[i]);
		at++;
	}
	assert_int_equal(at, edges->n);
}

static void assert_shared(struct edges_sharing *s, const struct fit_edge *truth,
			  const uint8_t *flags, size_t kept)
{
	for (uint32_t n = 2; n <= 8; n += n == 2 ? 1 : 5) {
		const uint32_t total = s->clocks->n, solve = total == FEW ? 1 : n < 3 ? n : 3;
		size_t all = 0;
		processes_run(n, share, s);
		for (uint32_t p = 0; p < n; p++) {
			/* No more than its part of the clocks, in eights; an edge is in two at most. */
			assert_true(s->end[p] - s->begin[p] <= total / solve + SHARE_ABREAST);
			assert_true(s->edges[p].n == 0 || s->end[p] > s->begin[p]);
			all += s->edges[p].n;
			assert_int_equal(s->edges[p].seen, s->n);
			assert_int_equal(s->edges[p].kept, kept);
			assert_int_equal(s->begin[p], p ? s->end[p - 1] : 0);
			assert_part(s, p, truth, flags);
			edges_fini(&s->edges[p]);
		}
		assert_int_equal(s->end[n - 1], total);
		assert_in_range(all, kept, solve == 1 ? kept : 2 * kept);
	}
}

/* Returns how many are kept. Of few clocks one process has all; of many the edges are divided. */
static size_t compare_of(uint32_t total, size_t n, uint32_t of, size_t limit, uint64_t seed)
{
	struct clock_line lines[CLOCKS] = { { 0, 0, 0 } };
	ENDED_BY(share_fini) struct fit_share alone;
	struct edges_sharing sharing;
	struct fit_edges edges;
	const struct clocks clocks = { .n = total, .line = lines, .length = LENGTH };
	struct fit_edge *list = make(n, of, total, seed), *truth = test_calloc(n, sizeof *truth);
	const size_t kept = expected(list, n, limit, truth);

	share_init(&alone, NULL, total);
	for (uint64_t order = 0; order < 4; order++) {
		shuffle(list, n, order);
		edges_init(&edges, &clocks, limit);
		for (size_t i = 0; i < n; i++)
			edges_add(&edges, &list[i]);
		edges_settle(&edges, &alone);
		assert_int_equal(edges.seen, n);
		assert_int_equal(edges.n, kept);
		assert_memory_equal(edges.data, truth, kept * sizeof *truth);
		if (order < 3)
			edges_fini(&edges);
	}
	sharing = (struct edges_sharing){ .clocks = &clocks, .list = list, .n = n, .limit = limit };
	assert_shared(&sharing, truth, edges.flags, kept);
	edges_fini(&edges);
	test_free(list);
	test_free(truth);
	return kept;
}

static size_t compare(size_t n, uint32_t of, size_t limit, uint64_t seed)
{
	const size_t kept = compare_of(FEW, n, of, limit, seed);

	assert_int_equal(compare_of(CLOCKS, n, of, limit, seed), kept);
	return kept;
}

TEST(test_below_the_limit)
{
	assert_int_equal(compare(1000, FEW, 1000, 1), 1000);
}

/* 30 pairs have 15,360 cells, 7,680 or 3,840. */
TEST(test_many_pairs)
{
	assert_in_range(compare(1001, FEW, 1000, 3), 500, 1001); /* as few as they get */
	compare(MOST, FEW, 7900, 2);
	compare(MOST, FEW, 100, 4); /* room grows */
	for (uint64_t seed = 5; seed < 25; seed++)
		compare(2000 + 200 * seed, FEW, 4000, seed);
}

/* Of two pairs' 1,024 cells, 850 are in use when 1,800 edges have come and 950 when 2,700 have:
 * only then is more than half of the limit kept. */
TEST(test_the_last_ones_count)
{
	for (uint64_t seed = 1; seed < 10; seed++)
		assert_in_range(compare(2700, 2, 1800, seed), 256, 512);
}
