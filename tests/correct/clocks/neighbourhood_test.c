/* Who is whose neighbour on grids that are drawn next to the tables. */
#include <string.h>

#include "base/str.h"
#include "correct/clocks/neighbourhood.h"
#include "harness/test.h"
#include "model/build/builder.h"

enum { RANKS = 6 };

static struct trace *on_grid(uint32_t dims, const int32_t *size, const uint8_t *periodic,
			     const int32_t *coords)
{
	static const int32_t world[RANKS] = { 0, 1, 2, 3, 4, 5 };
	const struct topology t = {
		.dims = dims, .size = size, .periodic = periodic, .coords = coords
	};
	struct err err = ERR_INIT;
	struct builder *b = builder_new("grid", &units_nanoseconds, &err);

	for (int32_t r = 0; r < RANKS; r++)
		builder_location(b, &(struct location){ .rank = r, .process = -1 });
	builder_world(b, world, RANKS);
	builder_topology(b, &t, RANKS);
	return builder_finish(b, NULL, NULL, &err);
}

/* "0:1,3 1:0" */
static void assert_neighbours(const struct trace *trace, const char *expected)
{
	struct neighbourhood b = { .comm = UINT32_MAX };
	struct str text = STR_INIT;

	neighbourhood_make(&b, trace, 0);
	for (uint32_t r = 0; r < b.n; r++) {
		uint32_t n;
		const uint32_t *list = neighbours_of(&b, r, &n);
		str_add_fmt(&text, "%s%u:", r ? " " : "", r);
		for (uint32_t i = 0; i < n; i++)
			str_add_fmt(&text, "%s%u", i ? "," : "", list[i]);
	}
	assert_string_equal(text.text ? text.text : "", expected);
	str_fini(&text);
	neighbourhood_fini(&b);
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
