/* Bounds of clocks in the times of a trace, by hand. */
#include <math.h>

#include "correct/correct.h"
#include "harness/notation.h"
#include "harness/owners.h"
#include "harness/test.h"

/* Ticks: one for each message on the way, and drift in so short a run. */
#define NEARLY 2.2

struct bounded {
	struct trace *trace;
	struct logical *logical;
	struct clock_room room;
};

static void bound(struct bounded *b, enum time_base base)
{
	struct err err = ERR_INIT;

	assert_true(trace_base_make(b->trace, base, NULL, &err));
	b->logical = logical_new(b->trace, NULL, &err);
	assert_non_null(b->logical);
	assert_true(clock_room_make(&b->room, b->trace, b->logical, base, NULL, NULL));
	assert_true(b->room.done);
}

static void unbound(struct bounded *b)
{
	clock_room_fini(&b->room);
	logical_free(b->logical);
	trace_free(b->trace);
}

static void assert_span(struct room_span span, double low, double high)
{
	if (isinf(low))
		assert_true(span.low == low);
	else
		assert_float_equal(span.low, low, NEARLY);
	if (isinf(high))
		assert_true(span.high == high);
	else
		assert_float_equal(span.high, high, NEARLY);
}

static struct clock_place first_of(const struct bounded *b, uint32_t location)
{
	return clock_place_at(&b->room, b->trace, b->room.base, location, INT64_MIN);
}

/* 0 -> 1 takes 30 as shown, 1 -> 0 takes 10, 1 -> 2 takes 5: x_1 in [-30, 10], x_2 >= -35. Rank 3
 * exchanges nothing. */
static void write_ranks(struct notation *n, const char *setting)
{
	notation_begin(n, 1000000000);
	notation_write(n, "ranks 4; %s", setting);
	notation_write(n, "rank 0: ->1 @100 <-1 @210; rank 1: <-0 @130 ->0 @200 ->2 @300\n"
			  "rank 2: <-1 @305; rank 3: MPI_Send@100-400");
}

TEST(messages_bound_clocks)
{
	struct notation n;
	struct bounded b;
	struct clock_place zero, one, two, three;

	write_ranks(&n, "");
	b.trace = notation_finish(&n);
	bound(&b, BASE_MEASURED);
	zero = first_of(&b, 0);
	one = first_of(&b, 1);
	two = first_of(&b, 2);
	three = first_of(&b, 3);
	assert_span(clock_room_at(&b.room, &zero), 0, 0);
	assert_span(clock_room_at(&b.room, &one), -30, 10);
	assert_span(clock_room_at(&b.room, &two), -35, INFINITY);
	assert_span(clock_room_at(&b.room, &three), -INFINITY, INFINITY);
	/* Of times of two ranks: of 1 less 0, of 2 less 1 by their message alone. */
	assert_span(clock_room_between(&b.room, &zero, &one), -30, 10);
	assert_span(clock_room_between(&b.room, &one, &zero), -10, 30);
	assert_span(clock_room_between(&b.room, &one, &two), -5, INFINITY);
	assert_span(clock_room_between(&b.room, &one, &three), -INFINITY, INFINITY);
	assert_span(clock_room_between(&b.room, &one, &one), 0, 0);
	/* Of one clock 200 ppm of 1 s, of which nothing in so short a run says more. */
	two = one;
	two.time += 1e9;
	assert_true(clock_room_between(&b.room, &one, &two).low <= -200e3 + NEARLY);
	assert_true(clock_room_between(&b.room, &one, &two).high >= 200e3 - NEARLY);
	assert_span(clock_room_between(&b.room, &zero, &zero), 0, 0);
	unbound(&b);
}

/* Rank 1's offset is 5 with a round trip of 4, so an error of at most 3 times 2: in [-6, 6] of the
 * interpolated times, in which messages leave [-25, 15] less 10. */
TEST(offset_records_bound_clocks)
{
	struct notation n;
	struct bounded b;
	struct clock_place one, three;

	write_ranks(&n, "offset 0 0 0 0; offset 1 100 5 4; offset 1 300 5 4; offset 3 100 7 20");
	b.trace = notation_finish(&n);
	bound(&b, BASE_LINEAR);
	one = first_of(&b, 1);
	three = first_of(&b, 3);
	assert_int_equal(b.room.bounds.records, 3);
	assert_int_equal(b.room.bounds.dropped, 0);
	assert_span(clock_room_at(&b.room, &one), -6, 5);
	assert_span(clock_room_at(&b.room, &three), -30, 30);
	unbound(&b);
}

/* Where no room was made, or one of a later base, nothing is known. */
TEST(unknown_is_not_zero)
{
	struct notation n;
	struct bounded b;
	const struct clock_room none = { .done = false };
	struct clock_place place;

	write_ranks(&n, "offset 0 0 0 0; offset 1 100 5 4");
	b.trace = notation_finish(&n);
	bound(&b, BASE_LINEAR);
	place = clock_place_at(&b.room, b.trace, BASE_MEASURED, 1, 0);
	assert_false(place.known);
	assert_span(clock_room_at(&b.room, &place), -INFINITY, INFINITY);
	place = clock_place_at(&none, b.trace, BASE_LINEAR, 1, 0);
	assert_false(place.known);
	place = clock_place_at(NULL, b.trace, BASE_LINEAR, 1, 0);
	assert_false(place.known);
	unbound(&b);
}

/* What the logical clock moved by 7 is wrong by 7 less. */
TEST(a_move_shifts_the_bounds)
{
	struct notation n;
	struct bounded b;
	struct clock_place zero, one;

	write_ranks(&n, "");
	b.trace = notation_finish(&n);
	bound(&b, BASE_MEASURED);
	zero = first_of(&b, 0);
	one = first_of(&b, 1);
	one.moved = 7;
	assert_span(clock_room_at(&b.room, &one), -37, 3);
	assert_span(clock_room_between(&b.room, &zero, &one), -37, 3);
	unbound(&b);
}

/* A barrier of more clocks than ROOM_PAIRS: rank r begins at 100 + r and ends at 200: from the last
 * begin of rank 19, 119, to the end are 81, from its own 100 - r. */
TEST(a_large_barrier)
{
	enum { RANKS = 20 };
	struct notation n;
	struct bounded b;

	notation_begin(&n, 1000000000);
	notation_write(&n, "ranks %d", RANKS);
	for (int r = 0; r < RANKS; r++)
		notation_write(&n, "rank %d: MPI_Barrier@%d-200 all", r, 100 + r);
	b.trace = notation_finish(&n);
	bound(&b, BASE_MEASURED);
	assert_int_equal(b.room.n_rows, 0);
	for (uint32_t r = 1; r < RANKS; r++) {
		const struct clock_place place = first_of(&b, r);
		assert_span(clock_room_at(&b.room, &place), -100, 100 - (double)r);
	}
	unbound(&b);
}
