/* Who is whose neighbour on grids that are drawn next to the tables. */
#include <string.h>

#include "base/str.h"
#include "correct/clocks/neighbourhood.h"
#include "harness/test.h"
#include "model/build/builder.h"

enum { RANKS = 6 };

static struct trace *on_topology(const char *name, uint32_t dims, const int32_t *size,
				 const uint8_t *periodic, const int32_t *coords)
{
	static const int32_t world[RANKS] = { 0, 1, 2, 3, 4, 5 };
	struct topology t = { .dims = dims, .size = size, .periodic = periodic, .coords = coords };
	struct err err = ERR_INIT;
	struct builder *b = builder_new("grid", &units_nanoseconds, &err);

	for (int32_t r = 0; r < RANKS; r++)
		builder_location(b, &(struct location){ .rank = r, .process = -1 });
	builder_world(b, world, RANKS);
	t.name = builder_string(b, name, strlen(name));
	builder_topology(b, &t, RANKS);
	return builder_finish(b, NULL, NULL, &err);
}

static struct trace *on_grid(uint32_t dims, const int32_t *size, const uint8_t *periodic,
			     const int32_t *coords)
{
	return on_topology("grid", dims, size, periodic, coords);
}

typedef const uint32_t *(*listing)(const struct neighbourhood *b, uint32_t rank, uint32_t *n);

/* "0:1,3 1:0" */
static void assert_listed(const struct trace *trace, listing listed, const char *expected)
{
	struct neighbourhood b = { .comm = UINT32_MAX };
	struct str text = STR_INIT;

	neighbourhood_make(&b, trace, 0);
	for (uint32_t r = 0; r < b.n; r++) {
		uint32_t n;
		const uint32_t *list = listed(&b, r, &n);
		str_add_fmt(&text, "%s%u:", r ? " " : "", r);
		for (uint32_t i = 0; i < n; i++)
			str_add_fmt(&text, "%s%u", i ? "," : "", list[i]);
	}
	assert_string_equal(text.text ? text.text : "", expected);
	str_fini(&text);
	neighbourhood_fini(&b);
}

/* On a grid neighbours are mutual. */
static void assert_neighbours(const struct trace *trace, const char *expected)
{
	assert_listed(trace, neighbours_of, expected);
	assert_listed(trace, neighbours_after, expected);
}

/* 0 1 2
 * 3 4 5, the rows closed or not */
TEST(two_dimensions)
{
	static const int32_t size[] = { 2, 3 };
	static const int32_t coords[] = { 0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2 };
	static const uint8_t open[2] = { 0, 0 }, rows[] = { 0, 1 }, both[] = { 1, 1 };
	OWNED_TRACE *t = on_grid(2, size, open, coords);
	OWNED_TRACE *ring = on_grid(2, size, rows, coords);
	OWNED_TRACE *torus = on_grid(2, size, both, coords);

	assert_neighbours(t, "0:3,1 1:4,0,2 2:5,1 3:0,4 4:1,3,5 5:2,4");
	assert_neighbours(ring, "0:3,2,1 1:4,0,2 2:5,1,0 3:0,5,4 4:1,3,5 5:2,4,3");
	/* A closed column of two leads to the same rank both ways: it counts once. */
	assert_neighbours(torus, "0:3,2,1 1:4,0,2 2:5,1,0 3:0,5,4 4:1,3,5 5:2,4,3");
}

/* 5 4 3 2 1 0, and a dimension of one cell that is closed. */
TEST(no_rank_is_its_own_neighbour)
{
	static const int32_t size[] = { 6, 1 };
	static const int32_t coords[] = { 5, 0, 4, 0, 3, 0, 2, 0, 1, 0, 0, 0 };
	static const uint8_t periodic[] = { 0, 1 };
	OWNED_TRACE *t = on_grid(2, size, periodic, coords);

	assert_neighbours(t, "0:1 1:2,0 2:3,1 3:4,2 4:5,3 5:4");
}

/* Empty cells have no rank; of ranks without a cell, or on one cell, nothing is known. */
TEST(cells_and_ranks_that_do_not_match)
{
	static const int32_t size[] = { 6 };
	static const int32_t gap[] = { 0, 1, 3, 4, -1, -1 }, twice[] = { 0, 1, 1, 2, 3, 4 };
	static const uint8_t periodic[] = { 0 };
	OWNED_TRACE *gaps = on_grid(1, size, periodic, gap);
	OWNED_TRACE *doubled = on_grid(1, size, periodic, twice);

	assert_neighbours(gaps, "0:1 1:0 2:3 3:2 4: 5:");
	assert_neighbours(doubled, "");
}

/* Rank 0 receives from 5 and 3, 1 from 0 (named twice), 2 from all others but 4, 3 from 2, 4 and 5
 * from none. Ranks that are not there are left out. */
TEST(sources_of_a_graph)
{
	static const int32_t size[] = { 6, 6, 6, 6 };
	static const uint8_t open[] = { 0, 0, 0, 0 };
	static const int32_t sources[] = { 5, 3, 0, 0, 0, 0, 1, 1,  5, 3, 0, 1,
					   2, 3, 3, 3, 4, 9, 4, -1, 5, 5, 5, 5 };
	OWNED_TRACE *t = on_topology("tview:sources", 4, size, open, sources);

	assert_listed(t, neighbours_of, "0:5,3 1:0 2:5,3,0,1 3:2 4: 5:");
	assert_listed(t, neighbours_after, "0:1,2 1:2 2:3 3:0,2 4: 5:0,2");
}
