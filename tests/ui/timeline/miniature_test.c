/* The timeline in a few lines: which locations share a row, and that all their time is in it. */
#include "ui/timeline/picture/miniature.h"

#include <string.h>

#include "harness/analysed.h"
#include "harness/load_trace.h"
#include "harness/test.h"
#include "ui/timeline/timeline_aid.h"

/* Each rank computes for 100 ticks, but rank r communicates from tick 10 * r on. */
static struct trace *stairs(int ranks)
{
	struct shown m;

	shown_begin(&m, ranks);
	for (int r = 0; r < ranks; r++) {
		shown_enter(&m, r, WORK, 0);
		shown_visit(&m, r, SEND, 10 * r, 100);
		shown_leave(&m, r, WORK, 100);
	}
	return shown_end(&m);
}

static void make(struct miniature *m, struct trace *trace, int rows, int columns, int64_t slice)
{
	const struct query query = shown_whole(trace);

	assert_true(miniature_begin(m, &query, rows, columns));
	while (miniature_work(m, slice))
		assert_false(m->done);
	assert_true(m->done);
}

static uint64_t time_of(const struct miniature *m, int row, int x, unsigned cls)
{
	return m->mixes[row * m->scale.n + x].of[cls];
}

TEST(a_row_for_each_location_where_they_fit)
{
	struct trace *trace = stairs(4);
	ENDED_BY(miniature_fini) struct miniature m = { 0 };

	make(&m, trace, 9, 10, INT64_MAX);
	assert_int_equal(m.rows, 4);
	/* The run has 101 ticks: of the first 11 rank 1 computes 10. */
	assert_int_equal(time_of(&m, 1, 0, CLASS_USER), 10);
	assert_int_equal(time_of(&m, 1, 0, CLASS_P2P), 1);
	assert_int_equal(time_of(&m, 0, 0, CLASS_USER), 0);
	assert_int_equal(time_of(&m, 3, 1, CLASS_USER), 10);
	assert_int_equal(m.cells[1 * 10].whole, CLASS_USER);
	assert_int_equal(m.cells[0].whole, CLASS_P2P);
	assert_false(m.waits_known);
	trace_free(trace);
}

/* Seven locations in three rows: three, two, two; one location a slice makes the same. */
TEST(locations_share_rows)
{
	struct trace *trace = stairs(7);
	ENDED_BY(miniature_fini) struct miniature m = { 0 };

	for (int slices = 0; slices < 2; slices++) {
		make(&m, trace, 3, 1, slices ? 0 : INT64_MAX);
		assert_int_equal(m.rows, 3);
		/* User code: 0 + 10 + 20, 30 + 40, 50 + 60; all together 100 each. */
		assert_int_equal(time_of(&m, 0, 0, CLASS_USER), 30);
		assert_int_equal(time_of(&m, 1, 0, CLASS_USER), 70);
		assert_int_equal(time_of(&m, 2, 0, CLASS_USER), 110);
		assert_int_equal(time_of(&m, 0, 0, CLASS_P2P), 270);
		assert_int_equal(time_of(&m, 2, 0, CLASS_P2P), 90);
	}
	trace_free(trace);
}

/* Three ranks of three threads in five rows, of two locations but for the last: rank 0 begins in the
 * first, rank 1 in the second, rank 2 in the fourth. */
TEST(rows_are_called_by_the_ranks_that_begin_in_them)
{
	static const int32_t expected[] = { 0, 1, RANK_UNKNOWN, 2, RANK_UNKNOWN };
	ENDED_BY(miniature_fini) struct miniature m = { 0 };
	struct shown s;

	shown_begin(&s, 0);
	for (int32_t l = 0; l < 9; l++) {
		s.loc[l] = builder_location(s.b, &(struct location){ .rank = l / 3,
								     .process = -1,
								     .thread = l % 3 });
		shown_visit(&s, l, WORK, 0, 100);
	}
	OWNED_TRACE *trace = shown_end(&s);
	make(&m, trace, 5, 1, INT64_MAX);
	assert_int_equal(m.rows, 5);
	for (int row = 0; row < 5; row++)
		assert_int_equal(miniature_rank(&m, row), expected[row]);
}

TEST(without_room_there_is_nothing)
{
	struct trace *trace = stairs(1);
	const struct query query = shown_whole(trace);
	ENDED_BY(miniature_fini) struct miniature m = { 0 };

	assert_false(miniature_begin(&m, &query, 0, 10));
	assert_false(miniature_begin(&m, &query, 2, 0));
	assert_false(miniature_work(&m, INT64_MAX));
	trace_free(trace);
}

static void expect_same(const struct miniature *a, const struct miniature *b)
{
	const size_t cells = (size_t)a->rows * (size_t)a->scale.n;

	assert_memory_equal(a->waiting, b->waiting, sizeof a->waiting);
	for (size_t i = 0; i < cells; i++) {
		assert_memory_equal(a->mixes[i].of, b->mixes[i].of, sizeof a->mixes[i].of);
		assert_true(a->mixes[i].all == b->mixes[i].all);
		assert_int_equal(a->cells[i].whole, b->cells[i].whole);
		assert_int_equal(a->cells[i].mix, b->cells[i].mix);
	}
}

/* One of the same size, window and locations is there at once; another one is made. */
TEST(the_last_one_is_kept)
{
	ANALYSED a = analysed(load_trace("traces/ring.trc"));
	ENDED_BY(miniature_fini) struct miniature made = { 0 }, again = { 0 };
	struct query query = a.query;

	assert_true(query_wait_sums(&query, NULL));
	assert_true(miniature_begin(&made, &query, 2, 30));
	assert_false(made.done);
	while (miniature_work(&made, INT64_MAX)) {}
	assert_true(made.waits_known && made.waiting[CLASS_P2P] > 0);
	assert_true(miniature_begin(&again, &query, 2, 30));
	assert_true(again.done);
	expect_same(&made, &again);
	for (int other = 0; other < 3; other++) {
		query.t1 = other == 2 ? 1000 : INT64_MAX;
		assert_true(miniature_begin(&again, &query, 2 + (other == 0), 30 + (other == 1)));
		assert_false(again.done);
	}
}
