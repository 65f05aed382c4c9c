/* How far events moved between two bases: against a walk over all events, on made-up and random
 * runs. */
#include "harness/test.h"
#include "model/sums/moves.h"

#include <stdlib.h>
#include <string.h>

#include "harness/random.h"
#include "harness/random_trace.h"
#include "harness/sample_trace.h"
#include "harness/shifted.h"

FREES(moves_free, struct moves)

enum { US = 1000, CELLS = 97 };

/* Slow and plain: the rule of the header, event by event. */

static int64_t move_of(const struct trace *trace, uint32_t event)
{
	return trace_event_time(trace, BASE_CLC, event) -
	       trace_event_time(trace, BASE_MEASURED, event);
}

static int64_t plain_at(const struct trace *trace, uint32_t location, int64_t t)
{
	struct cursor c;
	int64_t before_t = 0, before_m = 0;
	bool any = false;

	for (bool ok = cursor_first(&c, trace, BASE_CLC, location); ok; ok = cursor_next(&c)) {
		const int64_t m = move_of(trace, c.id);

		if (cursor_time(&c) >= t) {
			if (!any || cursor_time(&c) == t)
				return m;
			return before_m + (int64_t)((__int128)(m - before_m) * (t - before_t) /
						    (cursor_time(&c) - before_t));
		}
		any = true;
		before_t = cursor_time(&c);
		before_m = m;
	}
	return any ? before_m : 0;
}

static void plain_take(struct move *move, int64_t m)
{
	move->low = !move->known || m < move->low ? m : move->low;
	move->high = !move->known || m > move->high ? m : move->high;
	move->known = true;
}

static struct move plain_cell(const struct trace *trace, uint32_t location, int64_t t0, int64_t t1)
{
	struct move move = { .begin = plain_at(trace, location, t0),
			     .end = plain_at(trace, location, t1) };
	struct cursor c, last;

	if (!cursor_first(&c, trace, BASE_CLC, location))
		return (struct move){ .known = false };
	cursor_last(&last, trace, BASE_CLC, location);
	if (t0 >= cursor_time(&c) && t0 <= cursor_time(&last))
		plain_take(&move, move.begin);
	if (t1 > cursor_time(&c) && t1 <= cursor_time(&last))
		plain_take(&move, move.end);
	for (bool ok = true; ok; ok = cursor_next(&c))
		if (cursor_time(&c) >= t0 && cursor_time(&c) < t1)
			plain_take(&move, move_of(trace, c.id));
	return move;
}

static void compare(const struct trace *trace, uint32_t location, int64_t t0, int64_t t1)
{
	FREED_BY(moves_free) struct moves *moves = moves_new(trace, BASE_CLC, BASE_MEASURED, NULL);
	struct move cells[CELLS], rough[CELLS];
	int64_t edges[CELLS + 1];

	for (int64_t i = 0; i <= CELLS; i++)
		edges[i] = t0 + (t1 - t0) * i / CELLS;
	moves_sweep(moves, location, edges, CELLS, cells);
	moves_outline(moves, location, edges, CELLS, rough);
	for (size_t i = 0; i < CELLS; i++) {
		const struct move want = plain_cell(trace, location, edges[i], edges[i + 1]);

		assert_int_equal(cells[i].known, want.known);
		assert_true(cells[i].begin == want.begin && cells[i].end == want.end);
		if (want.known)
			assert_true(cells[i].low == want.low && cells[i].high == want.high);
		if (i > 0)
			assert_true(cells[i].begin == cells[i - 1].end &&
				    rough[i].begin == rough[i - 1].end);
		/* To the block nothing is missed. */
		if (want.known)
			assert_true(rough[i].known && rough[i].low <= want.low &&
				    rough[i].high >= want.high);
	}
}

/* Every event of rank 1 is 40 us later from its 31st on. */
static int64_t one_jump(void *context, uint32_t location, uint64_t nth, int64_t t)
{
	(void)context;
	return location == 1 && nth >= 30 ? t + 40 * US : t;
}

TEST(a_jump_is_where_it_is)
{
	OWNED_TRACE *trace = sample_trace(2, 20);
	FREED_BY(moves_free) struct moves *moves;
	struct move cells[2];
	struct cursor c;

	shifted_base(trace, BASE_CLC, BASE_MEASURED, one_jump, NULL);
	assert_true(cursor_nth(&c, trace, BASE_CLC, 1, 30));
	const int64_t at = cursor_time(&c);
	const int64_t edges[] = { at - 100 * US, at, at + 100 * US };

	moves = moves_new(trace, BASE_CLC, BASE_MEASURED, NULL);
	moves_sweep(moves, 1, edges, 2, cells);
	assert_int_equal(cells[0].end, 40 * US);
	assert_int_equal(cells[1].low, 40 * US);
	assert_int_equal(cells[1].high, 40 * US);
	moves_sweep(moves, 0, edges, 2, cells);
	assert_true(cells[0].known && cells[0].low == 0 && cells[0].high == 0);
	assert_int_equal(moves_map(trace, BASE_CLC, BASE_MEASURED, 1, at), at - 40 * US);
	/* The event before it has the same time and did not move: it counts. */
	assert_int_equal(moves_map(trace, BASE_MEASURED, BASE_CLC, 1, at - 40 * US), at - 40 * US);
	assert_int_equal(moves_map(trace, BASE_MEASURED, BASE_CLC, 1, at - 40 * US + 1), at + 1);
	assert_int_equal(moves_map(trace, BASE_CLC, BASE_MEASURED, 0, at), at);
}

/* Clocks that drift, jump, stand still. */
struct course {
	uint64_t seed;
	int64_t last_t, last;
};

static int64_t any_course(void *context, uint32_t location, uint64_t nth, int64_t t)
{
	struct course *c = context;
	const uint64_t what = xorshift_below(&c->seed, 16);
	int64_t step = t - c->last_t;

	if (nth == 0)
		c->last = t + (int64_t)(location % 5) * 1000 - 2000;
	else if (what == 0)
		c->last += step + (int64_t)(xorshift_below(&c->seed, 5000));
	else if (what < 4)
		c->last += step / 2;
	else if (what < 6)
		c->last += 0;
	else
		c->last += step;
	c->last_t = t;
	return c->last;
}

TEST(cells_are_what_a_walk_says)
{
	for (uint64_t seed = 1; seed <= 12; seed++) {
		OWNED_TRACE *trace = random_trace(seed, seed % 3 ? 60 : 400, 1000000000);
		struct course course = { .seed = seed * 977 };
		int64_t begin, end;

		assert_non_null(trace);
		shifted_base(trace, BASE_CLC, BASE_MEASURED, any_course, &course);
		trace_span(trace, BASE_CLC, &begin, &end);
		for (uint32_t l = 0; l < trace_location_count(trace) && l < 3; l++) {
			const int64_t at =
				begin +
				(int64_t)xorshift_below(&course.seed, (uint64_t)(end - begin + 1));

			compare(trace, l, begin, end + 1);
			compare(trace, l, at - 500, at + 1500);
			compare(trace, l, at, at + CELLS);
		}
	}
}

/* Times of one base in the other one keep their order; events lie exactly where they are. */
TEST(maps_lead_to_the_events)
{
	OWNED_TRACE *trace = random_trace(5, 300, 1000000000);
	struct course course = { .seed = 4711 };

	shifted_base(trace, BASE_CLC, BASE_MEASURED, any_course, &course);
	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		struct cursor c;
		int64_t last = INT64_MIN, last_t = INT64_MIN;

		for (bool ok = cursor_first(&c, trace, BASE_CLC, l); ok; ok = cursor_next(&c)) {
			const int64_t t = cursor_time(&c);
			const int64_t there = moves_map(trace, BASE_CLC, BASE_MEASURED, l, t);

			assert_true(there >= last);
			/* Of events at one time the first one counts. */
			if (t > last_t)
				assert_int_equal(there,
						 trace_event_time(trace, BASE_MEASURED, c.id));
			assert_true(moves_map(trace, BASE_CLC, BASE_MEASURED, l, t + 1) >= there);
			last = there;
			last_t = t;
		}
	}
}
