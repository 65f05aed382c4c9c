/* Collectives by hand: non-blocking ones, communicators of one process, of two groups, of
 * threads. */
#include <string.h>

#include "harness/built.h"
#include "harness/notation.h"
#include "harness/test.h"

struct fixture {
	struct notation text;
	struct builder *b; /* the text's */
	struct trace *t;
	uint32_t bcast, reduce; /* regions */
};

static int setup(void **state)
{
	struct fixture *f = test_calloc(1, sizeof *f);

	notation_begin(&f->text, 1000000000);
	notation_write(&f->text, "region bcast = MPI_Ibcast class collective\n"
				 "region reduce = MPI_Ireduce class collective");
	f->b = f->text.b;
	f->bcast = notation_id(&f->text, NOTATION_REGION, "bcast");
	f->reduce = notation_id(&f->text, NOTATION_REGION, "reduce");
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	notation_fini(&f->text);
	trace_free(f->t);
	test_free(f);
	return 0;
}

FIXTURE(setup, teardown)

static struct trace *finish(struct fixture *f)
{
	f->t = notation_finish(&f->text);
	assert_sound(f->t);
	return f->t;
}

static int64_t begin_of(const struct trace *t, uint32_t member)
{
	return trace_event_time(t, BASE_MEASURED, trace_member(t, member)->begin);
}

static int64_t end_of(const struct trace *t, uint32_t member)
{
	return trace_event_time(t, BASE_MEASURED, trace_member(t, member)->end);
}

/* Two ranks post a broadcast and a reduction; rank 1 completes them the other way round. The turn
 * is the request's, so that both are whole. */
TEST_WITH(turns_of_requests, struct fixture *f)
{
	const struct collective *c;
	struct trace *t;

	notation_write(
		&f->text,
		"rank 0: ask 7 @10 ask 8 @20 got 7 bcast root 1 100B/0B @30\n"
		"  got 8 reduce root 0 200B/300B @40\n"
		"rank 1: ask 7 @11 ask 7 @21 test 7 @22 got 7 bcast root 1 0B/100B @31\n" /* 7 again
											   */
		"  got 7 reduce root 0 201B/0B @41");
	t = finish(f);
	assert_int_equal(trace_collective_count(t), 2);
	c = trace_collective(t, 0);
	assert_int_equal(c->region, f->bcast);
	assert_int_equal(c->root, 1);
	assert_int_equal(c->members, 2);
	assert_int_equal(c->flags, COLL_REQUEST);
	assert_int_equal(begin_of(t, c->first), 10);
	assert_int_equal(end_of(t, c->first), 30);
	assert_int_equal(begin_of(t, c->first + 1), 11);
	assert_int_equal(end_of(t, c->first + 1), 31);
	assert_int_equal(trace_member(t, c->first)->sent, 100);
	assert_int_equal(trace_member(t, c->first + 1)->received, 100);
	c = trace_collective(t, 1);
	assert_int_equal(c->region, f->reduce);
	assert_int_equal(c->flags, COLL_REQUEST);
	assert_int_equal(begin_of(t, c->first + 1), 21);
	assert_int_equal(end_of(t, c->first + 1), 41);
	assert_int_equal(trace_member(t, c->first + 1)->sent, 201);
	assert_int_equal(found(t, "unknown-request"), 0);
}

TEST_WITH(crossed_completions, struct fixture *f)
{
	struct trace *t;

	notation_write(
		&f->text,
		"rank 0: ask 1 @10 ask 2 @20 got 2 reduce root 0 @30 got 1 bcast root 0 @40\n"
		"rank 1: ask 1 @11 ask 2 @21 got 1 bcast root 0 @31 got 2 reduce root 0 @41");
	t = finish(f);
	assert_int_equal(trace_collective_count(t), 2);
	assert_int_equal(trace_collective(t, 0)->region, f->bcast);
	assert_int_equal(trace_collective(t, 0)->members, 2);
	assert_int_equal(end_of(t, trace_collective(t, 0)->first), 40);
	assert_int_equal(trace_collective(t, 1)->members, 2);
	assert_int_equal(end_of(t, trace_collective(t, 1)->first), 30);
}

/* What was never completed belongs to nothing; what was never begun is counted. */
TEST_WITH(lost_ends, struct fixture *f)
{
	const uint32_t r0 = 0, r1 = 1;
	struct cursor c;
	struct trace *t;

	notation_write(&f->text,
		       "rank 0: got 99 bcast root 0 @1 ask 1 @10 ask 2 @12 got 1 bcast root 0 @20\n"
		       "rank 1: ask 3 @11 ask 4 @13 cancel 4 @14 got 3 bcast root 0 @21");
	builder_collective_begin_unknown(f->b, r1, 30);
	t = finish(f);
	assert_int_equal(trace_collective_count(t), 1);
	assert_int_equal(trace_collective(t, 0)->members, 2);
	assert_int_equal(trace_collective(t, 0)->flags, COLL_REQUEST);
	assert_int_equal(found(t, "unknown-request"), 1);
	assert_int_equal(found(t, "unknown-collective"), 3);
	assert_true(cursor_first(&c, t, BASE_MEASURED, r0));
	assert_int_equal(cursor_what(&c), what_make(EV_COLLECTIVE_END, ID_NONE));
	assert_true(cursor_nth(&c, t, BASE_MEASURED, r0, 2));
	assert_int_equal(cursor_what(&c), what_make(EV_COLLECTIVE_BEGIN, ID_NONE));
	assert_true(cursor_last(&c, t, BASE_MEASURED, r1));
	assert_int_equal(cursor_what(&c), what_make(EV_COLLECTIVE_BEGIN, ID_NONE));
}

/* A blocking one that only its end describes; blocking and non-blocking ones share their turns. */
TEST_WITH(known_at_the_end, struct fixture *f)
{
	const uint32_t r0 = built_rank(f->b, 0, 0), r1 = built_rank(f->b, 1, 0);
	struct trace *t;

	builder_collective_request(f->b, r0, 5, 1);
	builder_collective_begin_unknown(f->b, r0, 10);
	builder_collective_is(f->b, r0, 0, f->reduce, 1);
	builder_collective_end(f->b, r0, 20, 8, 0);
	builder_collective_complete(f->b, r0, 25, 1, 0, f->bcast, -1, 0, 0);
	builder_collective_request(f->b, r1, 6, 1);
	builder_collective_begin(f->b, r1, 11, 0, f->reduce, 1, UINT64_MAX, UINT64_MAX);
	builder_collective_end(f->b, r1, 21, 8, 16);
	builder_collective_complete(f->b, r1, 26, 1, 0, f->bcast, -1, 0, 0);
	t = finish(f);
	assert_int_equal(trace_collective_count(t), 2);
	assert_int_equal(trace_collective(t, 0)->region, f->bcast);
	assert_int_equal(trace_collective(t, 0)->flags, COLL_REQUEST);
	assert_int_equal(trace_collective(t, 1)->region, f->reduce);
	assert_int_equal(trace_collective(t, 1)->flags, 0);
	assert_int_equal(trace_collective(t, 1)->members, 2);
	assert_int_equal(trace_member(t, trace_collective(t, 1)->first + 1)->received, 16);
}

TEST_WITH(one_process_each, struct fixture *f)
{
	struct trace *t;

	notation_write(
		&f->text,
		"ranks 2; comm alone self 0 1\n"
		"rank 0: all:bcast comm alone root 0 @0-5\n"
		"rank 1: all:bcast comm alone root 1 @0-5 all:bcast comm alone root 1 @10-15");
	t = finish(f);
	assert_int_equal(trace_collective_count(t), 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(trace_collective(t, i)->members, 1);
		assert_int_equal(trace_collective(t, i)->flags, 0);
	}
	assert_int_equal(found(t, "incomplete-collective"), 0);
}

/* Both groups of an inter-communicator take part; one rank that is missing is missed. */
TEST_WITH(two_groups, struct fixture *f)
{
	struct trace *t;

	notation_write(
		&f->text,
		"ranks 3; comm inter 0 1 | 2\n"
		"rank 0: all:bcast comm inter root 0 @0-5 all:bcast comm inter root 0 @10-15\n"
		"rank 1: all:bcast comm inter root 0 @0-5 all:bcast comm inter root 0 @10-15\n"
		"rank 2: all:bcast comm inter root 0 @0-5\n"
		"rank 0: ->* comm inter 0B @100; rank 2: ->* comm inter 0B @100");
	t = finish(f);
	assert_int_equal(trace_collective_count(t), 2);
	assert_int_equal(trace_collective(t, 0)->members, 3);
	assert_int_equal(trace_collective(t, 0)->flags, 0);
	assert_int_equal(trace_collective(t, 1)->members, 2);
	assert_int_equal(trace_collective(t, 1)->flags, COLL_INCOMPLETE);
	/* From rank 0 to rank 2 alone, from rank 2 to ranks 0 and 1. */
	assert_int_equal(trace_message_count(t), 3);
	assert_int_equal(message_destination(t, trace_message(t, 0)), 2);
	assert_int_equal(message_destination(t, trace_message(t, 1)), 0);
	assert_int_equal(message_destination(t, trace_message(t, 2)), 1);
}

/* Two threads of rank 0 call in turn: the world's second collective is the other thread's. */
TEST_WITH(threads_of_a_rank, struct fixture *f)
{
	struct trace *t;

	notation_write(&f->text, "threads 2 rank 0\n"
				 "location 0: all:reduce root 0 @30-35\n"
				 "location 1: all:bcast root 0 @10-15\n"
				 "rank 1: all:bcast root 0 @11-16 all:reduce root 0 @31-36\n"
				 "location 0: all:bcast comm team root 0 @50-51\n"
				 "location 1: all:bcast comm team root 0 @50-51");
	t = finish(f);
	assert_int_equal(trace_collective_count(t), 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(trace_collective(t, i)->members, 2);
		assert_int_equal(trace_collective(t, i)->flags, 0);
	}
	assert_int_equal(found(t, "mixed-collective"), 0);
}

/* Without any rank locations are told apart by the source's ids, and the world is empty. */
TEST_WITH(without_ranks, struct fixture *f)
{
	struct location l = { .rank = RANK_UNKNOWN, .process = -1, .source_id = 1ull << 40 };
	struct trace *t;
	uint32_t a, b;

	a = builder_location(f->b, &l);
	l.source_id++;
	l.name = builder_string(f->b, "GPU stream", 10);
	b = builder_location(f->b, &l);
	assert_int_not_equal(a, b);
	assert_int_equal(builder_location(f->b, &l), b);
	builder_leave(f->b, a, 5, builder_site(f->b, f->bcast, 0, 0, 0));
	t = finish(f);
	assert_int_equal(trace_location_count(t), 2);
	assert_string_equal(trace_string(t, trace_location(t, a)->name), "location 0");
	assert_string_equal(trace_string(t, trace_location(t, b)->name), "GPU stream");
	assert_int_equal(trace_comm(t, 0)->size, 0);
	assert_int_equal(trace_location_of_rank(t, RANK_UNKNOWN), UINT32_MAX);
}

/* Attributes and markers come out in order, whatever the order they were given in. */
TEST_WITH(attributes_and_markers, struct fixture *f)
{
	const uint64_t type[] = { 0, 4 };
	const uint32_t key =
		builder_object(f->b, OBJECT_ATTRIBUTE, builder_string(f->b, "size", 4), type, 2);
	const uint32_t site = builder_site(f->b, f->bcast, 0, 0, 0);
	const uint32_t r0 = built_rank(f->b, 0, 0), r1 = built_rank(f->b, 1, 0);
	const struct event_attribute *found_attributes;
	struct cursor c;
	struct trace *t;
	uint32_t n;

	builder_mark(f->b, r0, 50, site); /* comes too early: it will be sorted behind */
	builder_attribute(f->b, r0, key, 1);
	builder_attribute(f->b, r0, key, 2);
	builder_mark(f->b, r1, 10, site);
	builder_attribute(f->b, r1, key, 3);
	builder_mark(f->b, r0, 20, site);
	builder_attribute(f->b, r0, key, 4);
	builder_marker(f->b, &(struct marker){ .time = 30, .severity = 1 });
	builder_marker(f->b, &(struct marker){ .time = 10, .severity = 2 });
	builder_marker(f->b, &(struct marker){ .time = 30, .severity = 3 });
	t = finish(f);
	assert_int_equal(trace_attribute_count(t), 4);
	assert_true(cursor_last(&c, t, BASE_MEASURED, r0));
	found_attributes = trace_event_attributes(t, c.id, &n);
	assert_int_equal(n, 2);
	assert_int_equal(found_attributes[0].value, 1);
	assert_int_equal(found_attributes[1].value, 2);
	assert_true(cursor_first(&c, t, BASE_MEASURED, r0));
	found_attributes = trace_event_attributes(t, c.id, &n);
	assert_int_equal(n, 1);
	assert_int_equal(found_attributes[0].value, 4);
	assert_int_equal(trace_marker(t, 0)->severity, 2);
	assert_int_equal(trace_marker(t, 1)->severity, 1);
	assert_int_equal(trace_marker(t, 2)->severity, 3);
}

/* Calls that were not recorded before the open one: 2,000,000 on the world, where rank 3 lags one
 * behind, 3 on another communicator. Each communicator counts from its own lowest. */
TEST_WITH(calls_before_are_counted_on_each_communicator, struct fixture *f)
{
	enum { OTF2_UINT64 = 4 };
	const uint64_t values[] = { builder_string(f->b, "", 0), OTF2_UINT64 };
	const uint32_t before =
		builder_object(f->b, OBJECT_ATTRIBUTE,
			       builder_string(f->b, CALLS_BEFORE, strlen(CALLS_BEFORE)), values, 2);
	const int32_t world[] = { 0, 1 };
	uint32_t comm;
	struct trace *t;

	notation_write(&f->text, "rank 0: main@0-100\nrank 1: main@0-100\n"
				 "rank 2: main@0-100\nrank 3: main@0-100");
	comm = builder_comm(f->b, "second", world, 2, -7);
	for (uint32_t r = 0; r < 4; r++) {
		const uint32_t location = f->text.places.data[r].location;

		builder_collective_begin(f->b, location, 110, r < 2 ? comm : 0, f->bcast, 0, 0, 0);
		builder_attribute(f->b, location, before, r < 2 ? 3 : 2000000 - (r - 2));
	}
	t = finish(f);
	assert_int_equal(trace_collective_count(t), 3);
	for (uint32_t i = 0; i < 3; i++) {
		const struct collective *c = trace_collective(t, i);
		assert_int_equal(c->members, c->comm == comm ? 2 : 1);
	}
}
