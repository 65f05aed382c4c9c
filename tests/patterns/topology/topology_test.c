/* Grids of a trace: given, from the trace (several, on parts of the ranks, with places that stay
 * empty), guessed, nodes x ranks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/load_trace.h"
#include "harness/test.h"
#include "model/build/builder.h"
#include "patterns/topology/topology.h"
#include "patterns/topology/topology_option.h"

static struct builder *begin(uint32_t ranks, uint32_t per_node)
{
	struct builder *b = builder_new("made.trc", &units_nanoseconds, NULL);

	for (uint32_t r = 0; r < ranks; r++) {
		char name[16];
		const int n = snprintf(name, sizeof name, "node%u", per_node ? r / per_node : 0);
		builder_location(b, &(struct location){
					    .rank = (int32_t)r,
					    .process = -1,
					    .node = per_node ? builder_string(b, name, (size_t)n)
							     : 0 });
	}
	return b;
}

static struct trace *end(struct builder *b)
{
	struct err err = ERR_INIT;
	struct trace *trace = builder_finish(b, NULL, NULL, &err);

	assert_non_null(trace);
	return trace;
}

static void message(struct builder *b, uint32_t from, uint32_t to, int64_t t)
{
	builder_send(b, from, t, &(struct message_end){ .rank = (int32_t)to, .bytes = 100 });
	builder_recv(b, to, t + 5, &(struct message_end){ .rank = (int32_t)from, .bytes = 100 });
}

static void expect_at(const struct grid *grid, uint32_t location, int32_t x, int32_t y)
{
	const int32_t *at = grid_at(grid, location);

	assert_non_null(at);
	assert_int_equal(at[0], x);
	assert_int_equal(at[1], y);
	assert_int_equal(grid_location(grid, at), location);
}

TEST(given)
{
	OWNED_TRACE *trace = end(begin(6, 0));
	struct grids grids;
	struct err err = ERR_INIT;

	assert_true(grids_make(&grids, trace, "3x2", &err)); /* rank = x + 3 y */
	assert_int_equal(grids.grid[0].source, GRID_GIVEN);
	assert_string_equal(grids.grid[0].name, "3 x 2");
	expect_at(&grids.grid[0], 0, 0, 0);
	expect_at(&grids.grid[0], 2, 2, 0);
	expect_at(&grids.grid[0], 4, 1, 1);
	assert_ptr_equal(grids_best(&grids), &grids.grid[0]);
	grids_fini(&grids);
	assert_true(grids_make(&grids, trace, "3x2,order=col", &err)); /* rank = y + 2 x */
	expect_at(&grids.grid[0], 1, 0, 1);
	expect_at(&grids.grid[0], 4, 2, 0);
	grids_fini(&grids);
	assert_true(grids_make(&grids, trace, "3x2,order=col,flip=y", &err));
	expect_at(&grids.grid[0], 0, 0, 1);
	expect_at(&grids.grid[0], 5, 2, 0);
	grids_fini(&grids);
	assert_true(grids_make(&grids, trace, "4x2,flip=xy", &err)); /* two places stay empty */
	expect_at(&grids.grid[0], 0, 3, 1);
	assert_int_equal(grid_location(&grids.grid[0], (const int32_t[]){ 0, 0 }), UINT32_MAX);
	assert_int_equal(grids.grid[0].places, 6);
	grids_fini(&grids);
	assert_false(grids_make(&grids, trace, "2x2", &err));
	assert_string_equal(err.text, "topology 2 x 2 has 4 cells, but the trace has 6 ranks");
	assert_int_equal(err.status, STATUS_USAGE);
}

TEST(what_is_no_wish)
{
	static const char *const bad[] = { "",
					   "x",
					   "4x",
					   "0x4",
					   "4x4,",
					   "4x4,flip",
					   "-4x4",
					   "4x4,flip=",
					   "4x4,flip=z",
					   "4 x 4",
					   "4x4y",
					   "4x4,order=diagonal",
					   "99999999999999999999x2",
					   "1x1x1x1x1x1x1x1x1",
					   "\033[2J" };
	struct wish wish;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err err = ERR_INIT;
		assert_false(wish_parse(bad[i], &wish, &err));
		assert_int_equal(err.status, STATUS_USAGE);
		assert_null(strchr(err.text, '\033'));
	}
	assert_true(wish_parse("4x4x2x1x1x1x1x1,flip=xt,order=row", &wish, NULL));
	assert_true(wish_parse("guess", &wish, NULL));
}

/* Rank r of the sub-communicator stands at its row of the coordinates; others are not on the
 * grid. */
TEST(of_the_trace)
{
	static const int32_t odd[] = { 5, 3, 1 }, all[] = { 0, 1, 2, 3, 4, 5 };
	static const int32_t row_size[] = { 3 }, size[] = { 2, 4 };
	static const uint8_t ring[] = { 1, 0 };
	static const int32_t row[] = { 0, 1, 2 };
	/* Two places stay empty, rank 5's is unknown. */
	static const int32_t square[] = { 0, 0, 0, 1, 0, 2, 1, 0, 1, 1, -1, -1 };
	struct builder *b = begin(6, 0);
	const uint32_t part = builder_comm(b, "odd ones", odd, 3, 7);
	const uint32_t whole = builder_comm(b, "all\033", all, 6, 8);
	struct topology t = { .name = builder_string(b, "line", 4),
			      .comm = part,
			      .dims = 1,
			      .size = row_size,
			      .periodic = ring,
			      .coords = row };
	struct grids grids;
	OWNED_TRACE *trace;

	builder_topology(b, &t, 3);
	builder_topology(b, &t, 3); /* the same again is the same grid */
	t = (struct topology){ builder_string(b, "square", 6), whole, 2, size, ring, square };
	builder_topology(b, &t, 6);
	trace = end(b);
	assert_true(grids_make(&grids, trace, NULL, NULL));
	assert_int_equal(grids.n, 3); /* and the ranks in a row */
	assert_int_equal(grids.grid[0].places, 3);
	assert_int_equal(grid_at(&grids.grid[0], 5)[0], 0);
	assert_int_equal(grid_at(&grids.grid[0], 3)[0], 1);
	assert_null(grid_at(&grids.grid[0], 0));
	assert_string_equal(
		grids.grid[0].note,
		"Recorded in the trace: \"line\" (communicator \"odd ones\"); periodic in x; other "
		"ranks are not on it.");
	assert_int_equal(grids.grid[1].places, 5);
	assert_null(strchr(grids.grid[1].note, '\033'));
	expect_at(&grids.grid[1], 4, 1, 1);
	assert_null(grid_at(&grids.grid[1], 5));
	assert_ptr_equal(grids_best(&grids), &grids.grid[1]);
	assert_int_equal(grids.grid[2].source, GRID_PHYSICAL);
	grids_fini(&grids);
	assert_true(grids_make(&grids, trace, "6", NULL));
	assert_int_equal(grids.n, 4);
	assert_int_equal(grids_best(&grids)->source, GRID_GIVEN);
	grids_fini(&grids);
}

/* The longest note there can be is a whole sentence. */
TEST(note_of_many_dimensions)
{
	static const char name[] = "a name that is longer than a note can take";
	static const int32_t one[] = { 1 }, size[] = { 2, 2, 2, 2, 2, 2, 2, 2 };
	static const int32_t at[GRID_DIMS] = { 0 };
	static const uint8_t rings[] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	static const char rest[] =
		"; periodic in x, y, z, u, v, w, s, t; other ranks are not on it.";
	struct builder *b = begin(2, 0);
	const struct topology t = { .name = builder_string(b, name, sizeof name - 1),
				    .comm = builder_comm(b, name, one, 1, 7),
				    .dims = GRID_DIMS,
				    .size = size,
				    .periodic = rings,
				    .coords = at };
	ENDED_BY(grids_fini) struct grids grids;
	OWNED_TRACE *trace;
	const char *note;

	builder_topology(b, &t, 1);
	trace = end(b);
	assert_true(grids_make(&grids, trace, NULL, NULL));
	assert_int_equal(grids.grid[0].dims, GRID_DIMS);
	note = grids.grid[0].note;
	assert_true(strlen(note) > sizeof rest);
	assert_string_equal(note + strlen(note) - (sizeof rest - 1), rest);
}

TEST(guessed_only_where_nobody_says)
{
	struct builder *b = begin(12, 0);
	struct grids grids;
	OWNED_TRACE *trace;

	for (uint32_t v = 0; v < 12; v++)
		for (int64_t i = 0; i < 5; i++) {
			if (v % 4 < 3)
				message(b, v, v + 1, 100 * i + 20 * v);
			if (v < 8)
				message(b, v + 4, v, 100 * i + 20 * v + 10);
		}
	trace = end(b);
	assert_true(grids_make(&grids, trace, NULL, NULL));
	assert_int_equal(grids.grid[0].source, GRID_GUESSED);
	assert_string_equal(grids.grid[0].name, "4 x 3");
	assert_true(grids.grid[0].score > 0.999);
	expect_at(&grids.grid[0], 6, 2, 1);
	assert_ptr_equal(grids_best(&grids), &grids.grid[0]);
	grids_fini(&grids);
	assert_true(grids_make(&grids, trace, "12", NULL));
	assert_int_equal(grids.n, 2);
	assert_int_equal(grids.grid[1].source, GRID_PHYSICAL);
	grids_fini(&grids);
}

TEST(nodes_by_ranks)
{
	OWNED_TRACE *trace = end(begin(7, 3));
	ENDED_BY(grids_fini) struct grids grids;

	assert_true(grids_make(&grids, trace, NULL, NULL));
	assert_int_equal(grids.n, 1);
	assert_true(grids.no_guess[0] != 0);
	assert_null(grids_best(&grids)); /* never used unasked */
	assert_string_equal(grids.grid[0].name, "3 nodes x 3 ranks");
	expect_at(&grids.grid[0], 4, 1, 1);
	expect_at(&grids.grid[0], 6, 0, 2);
}

/* A host, its device, and one of two with counters alone. */
TEST(counters_have_no_place)
{
	static const uint8_t types[] = { LOCATION_CPU, LOCATION_ACCELERATOR, LOCATION_METRICS };
	struct builder *b = builder_new("made.trc", &units_nanoseconds, NULL);
	ENDED_BY(grids_fini) struct grids grids;
	OWNED_TRACE *trace;

	for (uint32_t l = 0; l < sizeof types; l++) {
		builder_location(b, &(struct location){ .rank = RANK_UNKNOWN,
							.process = -1,
							.node = builder_string(b, "node", 4),
							.source_id = l });
		builder_location_owner(b, l, UINT32_MAX, types[l], l);
	}
	trace = end(b);
	assert_true(grids_make(&grids, trace, NULL, NULL));
	assert_string_equal(grids.grid[0].name, "one node x 2 locations");
	expect_at(&grids.grid[0], 1, 1, 0);
	assert_null(grid_at(&grids.grid[0], 2));
}

/* What tvrun recorded of MPI_Cart_create: 2 x 2, row-major as MPI prescribes. */
TEST(recorded)
{
	OWNED_TRACE *trace = load_trace("traces/sweep.trc");
	ENDED_BY(grids_fini) struct grids grids;

	assert_true(grids_make(&grids, trace, NULL, NULL));
	assert_int_equal(grids.grid[0].source, GRID_TRACE);
	assert_string_equal(grids.grid[0].name, "2 x 2");
	for (int32_t r = 0; r < 4; r++)
		expect_at(&grids.grid[0], trace_location_of_rank(trace, r), r / 2, r % 2);
}
